"""Means and intervals beside SciPy's."""

import pytest
from scipy.special import stdtrit

from maxcover.reproduce.statistics import student


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 5, 10, 99, 998, 999])
def test_student_is_scipys(freedom):
    assert student(freedom) == pytest.approx(stdtrit(freedom, 0.975), rel=1e-10)
    assert student(freedom, 0.5) == pytest.approx(stdtrit(freedom, 0.75), rel=1e-10)
