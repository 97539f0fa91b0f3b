"""The classifiers on a linear autoencoder's states."""

import sys

import numpy as np
import pytest

import tinyrnn as tr
from tinyrnn.analysis.laes import classifying


def clouds(n=300, rng=0):
    """Points whose label is the quadrant's parity: no line divides them."""
    rng = np.random.default_rng(rng)
    m = rng.choice([-1.0, 1.0], (n, 2)) + 0.2 * rng.normal(size=(n, 2))
    return m, (m[:, 0] * m[:, 1] > 0).astype(int)


def halves(n=300, rng=0):
    """Points whose label is the side of a line through the origin."""
    m = np.random.default_rng(rng).normal(size=(n, 3))
    return m, (m @ [1.0, -2.0, 0.5] > 0).astype(np.uint8)


def test_states_are_the_final_ones_in_the_order_given_however_many_images():
    pixels = np.random.default_rng(0).integers(0, 256, (2300, 6), dtype=np.uint8)
    order = [3, 1, 5, 0, 2, 4]
    autoencoder = tr.LinearAutoencoder.fit_moments(pixels[:, order], 4, scale=1 / 255)
    wanted = autoencoder.encode((pixels[:, order] / 255).T[:, :, None])[-1]
    np.testing.assert_allclose(classifying.states(autoencoder, pixels, order, 1 / 255), wanted, atol=1e-12)


def test_laes_linear_is_least_squares_without_a_bias():
    rng = np.random.default_rng(0)
    m, labels = rng.normal(size=(2500, 7)) + 1, rng.integers(0, 4, 2500)
    wanted = np.linalg.lstsq(m, np.eye(4)[labels], rcond=None)[0]
    np.testing.assert_allclose(classifying.linear(m, labels, 4), wanted, atol=1e-12)


def test_accuracy_is_the_share_of_rows_whose_largest_score_is_the_label():
    assert classifying.accuracy(np.array([[1, 2], [3, 1], [0, 5], [0, 1]]), np.array([1, 1, 1, 0])) == 0.5


@pytest.mark.parametrize("layers", [1, 2, 3])
def test_laes_ff_divides_what_no_line_divides(layers):
    m, labels = clouds()
    test, test_labels = clouds(rng=1)
    model = classifying.feedforward(m, labels, layers, units=8, classes=2, epochs=25, batch=16, lr=0.02)
    scores, _ = model.forward(test[None].astype("float32"))
    assert classifying.accuracy(scores, test_labels) > 0.97
    assert classifying.accuracy(test @ classifying.linear(m, labels, 2), test_labels) < 0.75
    h = test
    for k in range(layers):  # it is a feed-forward network: tanh layers, and nothing else
        h = np.tanh(h @ model.params[f"layers.{k}.W_x"] + model.params[f"layers.{k}.b"])
    np.testing.assert_allclose(scores, h @ model.params["readout.W"] + model.params["readout.b"], atol=1e-4)


def test_laes_ff_repeats_with_its_seed_and_decays_its_weights():
    m, labels = clouds(100)
    options = {"units": 4, "classes": 2, "epochs": 3}
    first, again, decayed = (classifying.feedforward(m, labels, decay=d, **options) for d in (1e-5, 1e-5, 1.0))
    assert np.array_equal(first.params["readout.W"], again.params["readout.W"])
    assert np.linalg.norm(decayed.params["readout.W"]) < np.linalg.norm(first.params["readout.W"])


def test_laes_svm_is_a_linear_kernel_one_against_one():
    pytest.importorskip("sklearn", reason="LAES-SVM needs scikit-learn")
    m, labels = halves()
    machine = classifying.svm(m, labels, 4.0)
    assert (machine.kernel, machine.C) == ("linear", 4.0)
    assert machine.score(*halves(rng=1)) > 0.95
    test, test_labels = clouds(rng=1)
    assert classifying.svm(*clouds()).score(test, test_labels) < 0.8


def test_the_best_c_is_chosen_on_the_validation_states():
    pytest.importorskip("sklearn", reason="LAES-SVM needs scikit-learn")
    m, labels = halves(60)
    wrong = np.random.default_rng(0).random(60) < 0.2
    valid, valid_labels = halves(300, rng=1)
    grid = (4.0**-6, 4.0**-2, 4.0**3)
    C, found = classifying.best_svm(m, np.where(wrong, 1 - labels, labels), valid, valid_labels, grid)
    assert list(found) == sorted(grid) and found[C] == max(found.values())
    assert found[C] == classifying.svm(m, np.where(wrong, 1 - labels, labels), C).score(valid, valid_labels)


def test_without_scikit_learn_it_is_said_in_one_line_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.svm", None)
    with pytest.raises(ImportError, match=r"^LAES-SVM needs scikit-learn: pip install 'tinyrnn\[svm\]'$"):
        classifying.svm(*halves())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: classifying.linear(np.ones((3, 2)), np.zeros(2, int)), r"states \(N, p\) and labels \(N,\)"),
        (lambda: classifying.linear(np.ones((3, 2)), np.zeros(3)), r"states \(N, p\) and labels \(N,\)"),
        (lambda: classifying.feedforward(*clouds(), layers=0), "layers must be at least 1, got 0"),
        (lambda: classifying.feedforward(*clouds(), epochs=0), "epochs must be at least 1, got 0"),
    ],
)
def test_bad_arguments_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
