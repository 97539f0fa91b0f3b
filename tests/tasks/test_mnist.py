"""Sequential MNIST: epochs, orders, scalings, and what is held out."""

import numpy as np
import pytest

from tinyrnn.tasks import SequentialMNIST


def shown(batch):
    """The numbers of the small MNIST's images in a batch by pixel or row: image i has first pixel i."""
    return np.rint(batch.x[0, :, 0] * 255).astype(int).tolist()


@pytest.mark.parametrize("order", ["pixels", "rows"])
@pytest.mark.parametrize("size", [1, 12, 60])
def test_an_epoch_shows_every_image_exactly_once(small_mnist, order, size):
    task, batches = SequentialMNIST(order=order), 60 // size
    epochs = []
    for epoch in range(3):
        steps = range(epoch * batches, (epoch + 1) * batches)
        epochs.append([image for step in steps for image in shown(task.batch(0, step, size))])
        assert sorted(epochs[-1]) == list(range(60))
    assert epochs[0] != epochs[1] != epochs[2] != epochs[0]


def test_an_epoch_of_batches_that_do_not_fit_leaves_a_remainder_out_and_repeats_nothing(small_mnist):
    task = SequentialMNIST()
    epoch = [image for step in range(8) for image in shown(task.batch(0, step, 7))]
    assert len(set(epoch)) == 56
    following = [image for step in range(8, 16) for image in shown(task.batch(0, step, 7))]
    assert len(set(following)) == 56 and set(following) != set(epoch)


def test_each_image_comes_with_its_label_pixel_by_pixel_and_row_by_row(small_mnist):
    images, labels = small_mnist["train"]
    for order, shape in ("pixels", (784, 1)), ("rows", (28, 28)):
        batch = SequentialMNIST(order=order).batch(0, 3, 6, "float64")
        chosen = shown(batch)
        assert np.array_equal(batch.target, labels[chosen])
        assert np.array_equal(batch.x.swapaxes(0, 1), images[chosen].reshape(6, *shape) / 255)


def test_the_permutation_is_fixed_by_its_seed_and_the_same_for_every_image(small_mnist):
    pixels = SequentialMNIST().batch(0, 0, 6)
    task = SequentialMNIST(order="permuted", permutation_seed=4)
    assert sorted(task.permutation) == list(range(784))
    for seed in 4, 4, 5:
        permuted = SequentialMNIST(order="permuted", permutation_seed=seed).batch(0, 0, 6)
        as_in_4 = np.array_equal(permuted.x, pixels.x[task.permutation])
        assert as_in_4 == (seed == 4)
        assert np.array_equal(permuted.target, pixels.target)


def test_standard_scaling_subtracts_the_mean_and_divides_by_the_deviation(small_mnist):
    unit = SequentialMNIST().batch(0, 0, 6, "float64").x
    standard = SequentialMNIST(scaling="standard").batch(0, 0, 6, "float64").x
    assert unit.min() >= 0 and unit.max() <= 1
    np.testing.assert_allclose(standard * 0.3081 + 0.1307, unit, atol=1e-15)


def test_the_test_images_come_once_each_in_the_order_of_the_file(small_mnist):
    batches = list(SequentialMNIST(order="rows").test_batches(10))
    assert [len(batch.target) for batch in batches] == [10, 10, 5]
    assert [image for batch in batches for image in shown(batch)] == list(range(25))
    assert np.array_equal(np.concatenate([batch.target for batch in batches]), small_mnist["test"][1])


def test_images_held_out_for_validation_are_never_trained_on(small_mnist):
    task = SequentialMNIST(valid=20)
    assert task.train_size == 40
    epoch = [image for step in range(5) for image in shown(task.batch(0, step, 8))]
    assert sorted(epoch) == list(range(40))
    assert set(shown(task.sample(0, 500))) == set(range(40))
    held_out = [shown(batch) for batch in task.valid_batches(15)]
    assert held_out == [list(range(40, 55)), list(range(55, 60))]


def test_what_mnist_cannot_do_with_its_images_is_said(small_mnist):
    with pytest.raises(ValueError, match="mnist: valid=60 leaves none of the 60 images to train on"):
        SequentialMNIST(valid=60).batch(0, 0, 1)
    with pytest.raises(ValueError, match="no images are held out for validation: set valid"):
        next(SequentialMNIST().valid_batches(10))
    with pytest.raises(ValueError, match="a batch of 61 is more than the 60 training images"):
        SequentialMNIST().batch(0, 0, 61)


def test_without_the_files_mnist_has_its_sizes_and_says_what_is_missing(offline):
    task = SequentialMNIST(order="rows")
    assert (task.steps, task.input_size, task.output_size) == (28, 28, 10)
    with pytest.raises(FileNotFoundError, match=r"train-images-idx3-ubyte\.gz is not on this machine"):
        task.batch(0, 0, 1)


def test_an_epoch_of_the_real_mnist_shows_every_label_as_often_as_there_are(data_dir):
    task = SequentialMNIST(order="rows", scaling="standard")
    batches = [task.batch(0, step, 2000) for step in range(30)]
    counts = np.bincount(np.concatenate([batch.target for batch in batches]))
    assert counts.tolist() == [5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949]
    assert np.mean([batch.x.mean() for batch in batches]) == pytest.approx(0, abs=1e-3)
    assert np.mean([(batch.x**2).mean() for batch in batches]) == pytest.approx(1, abs=1e-3)
    assert sum(len(batch.target) for batch in task.test_batches(3000)) == 10000
