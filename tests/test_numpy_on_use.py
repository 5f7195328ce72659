"""NumPy behind `fieldwise.numpy_on_use` is NumPy."""

import subprocess
import sys

import numpy
import pytest

from fieldwise.numpy_on_use import np


def test_attributes_are_those_of_numpy() -> None:
    assert np.float64 is numpy.float64
    assert np.linalg is numpy.linalg
    assert isinstance(numpy.zeros(1), np.ndarray)


def test_a_name_that_numpy_does_not_have_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="zeroes"):
        np.zeroes  # noqa: B018


def test_numpy_is_imported_at_the_first_use() -> None:
    statements = "import sys; from fieldwise.numpy_on_use import np; assert 'numpy' not in sys.modules; assert np.zeros(2).sum() == 0"
    subprocess.run([sys.executable, "-c", statements], check=True)
