"""The analyses of the linear autoencoder, run small: what their numbers say."""

import csv
import json

import numpy as np
import pytest

import tinyrnn as tr
from tinyrnn.commands.main import main


def analysed(folder, name, *arguments):
    assert main(["analyse", name, *arguments, "--out", str(folder)]) == 0
    assert (folder / f"{name}.png").stat().st_size > 10000
    tables = {}
    for path in folder.glob(f"{name}-*.csv"):
        with open(path) as file:
            rows = list(csv.DictReader(file))
        tables[path.stem.removeprefix(f"{name}-")] = {key: [float(row[key]) for row in rows] for key in rows[0]}
    return json.loads((folder / f"{name}.json").read_text()), tables


@pytest.mark.slow
def test_the_error_vanishes_with_all_units_and_the_lmn_is_the_better_start(tmp_path, capsys):
    numbers, tables = analysed(tmp_path, "laes", "--length", "12", "--count", "15", "--units", "3", "5", "--seed", "2")
    errors, memory, starts = tables["errors"], tables["memory"], tables["starts"]
    for name in "training", "unseen", "slice by slice":
        assert errors[name][-1] < 1e-12 and errors[name][0] > errors[name][6] > 0.01
    assert numbers["AA^T + BB^T - I, all units"] < 1e-12
    np.testing.assert_allclose(memory["p=12"][:12], 1, atol=1e-12)  # a delay line of 12 steps
    np.testing.assert_allclose(memory["p=12"][12:], 0, atol=1e-12)
    assert numbers["mixed lengths"]["rank"] == 17 and numbers["mixed lengths"]["training error"] < 1e-12
    assert numbers["mixed lengths"]["unseen error"] > 0.1
    assert all(lmn < 0.5 * elman for lmn, elman in zip(starts["LMN"], starts["Elman"], strict=True))
    said = capsys.readouterr().out
    assert "p = L = 12" in said and "note: " in said


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--length", "1"], "length must be at least 2"),
        (["--count", "7"], "count at least the length, got 30 and 7"),
        (["--units", "30"], "units must be one to 7 numbers from 1 to 29"),
    ],
)
def test_sizes_that_make_no_sense_are_one_line(tmp_path, capsys, arguments, message):
    assert main(["analyse", "laes", *arguments, "--out", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1 and not (tmp_path / "out").exists()


def test_digits_are_fitted_in_both_orders_and_classified(small_mnist, tmp_path, capsys):
    wanted = ["--units", "2", "9", "--train", "40", "--permutation", "4"]
    numbers, tables = analysed(tmp_path, "laes-mnist", *wanted, "--ff", "1", "--epochs", "2")
    images = small_mnist["train"][0][:40].reshape(40, 784)
    orders = {
        "sequential": np.arange(784),
        "permuted": tr.tasks.SequentialMNIST(order="permuted", permutation_seed=4).permutation,
    }
    for order, columns in orders.items():
        autoencoder = tr.LinearAutoencoder.fit_moments(images[:, columns] / 255, 9)
        assert numbers[order]["spectral radius"] == pytest.approx(autoencoder.spectral_radius, abs=1e-6)
        assert numbers[order]["kept energy"] == pytest.approx(autoencoder.kept)
        norms = np.linalg.norm(autoencoder.responses(784), axis=(1, 2))
        np.testing.assert_allclose(tables["memory"][order], norms, atol=1e-6)
        assert 0 <= numbers[order]["LAES-FF, layers 1: accuracy (%)"] <= 100
        assert tables["accuracy"][order][-1] == numbers[order]["accuracy (%)"]
        assert 5 < numbers[order]["peak memory of the fit (MB)"] < 40
        assert not any("SVM" in key for key in numbers[order])
    said = capsys.readouterr().out
    assert "sequential: LAES-FF, layers 1: accuracy (%)" in said and "(paper, p = 128: 92.3)" in said
    assert numbers["dense Xi (GB)"] == pytest.approx(40 * 784**2 * 8e-9)


def test_a_support_vector_machine_is_fitted_where_it_is_asked_for(small_mnist, tmp_path):
    pytest.importorskip("sklearn", reason="LAES-SVM needs scikit-learn")
    numbers, _ = analysed(tmp_path, "laes-mnist", "--units", "5", "--train", "40", "--svm")
    for order in "sequential", "permuted":
        found = numbers[order]
        assert len(found["SVM, validation accuracy by C"]) == 8
        assert found["SVM, validation accuracy by C"][str(found["SVM, C"])] == max(
            found["SVM, validation accuracy by C"].values()
        )
        assert 0 <= found["LAES-SVM accuracy (%)"] <= 100 and found["LAES-SVM CPU seconds"] > 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--units", "0"], "units must be from 1 to 784"),
        (["--train", "61"], "train must be from 1 to 60, got 61"),
        (["--train", "60", "--svm"], "train must be from 1 to 59, got 60"),
        (["--train", "30", "--units", "3", "--ff", "0"], "layers must be at least 1, got 0"),
    ],
)
def test_digits_that_are_not_there_are_one_line(small_mnist, tmp_path, capsys, arguments, message):
    assert main(["analyse", "laes-mnist", *arguments, "--out", str(tmp_path / "out")]) == 2
    assert message in capsys.readouterr().err.splitlines()[-1] and not (tmp_path / "out").exists()


@pytest.mark.slow
def test_all_digits_give_the_paper_s_table_within_a_point_and_a_half(data_dir, tmp_path):
    numbers, _ = analysed(tmp_path, "laes-mnist", "--units", "128")
    assert numbers["train"] == 50000
    assert abs(numbers["sequential"]["accuracy (%)"] - 86.6) < 1.5
    assert abs(numbers["permuted"]["accuracy (%)"] - 84.2) < 1.5
    for order in "sequential", "permuted":
        assert numbers[order]["peak memory of the fit (MB)"] < 40
