"""Which tests to run: recorded coverage and durations in, a certified selection of tests out."""

from maxcover.suites.choosing import Selection, choose
from maxcover.suites.durations import read_durations
from maxcover.suites.reading import read_suite
from maxcover.suites.suite import Suite

__all__ = ["Selection", "Suite", "choose", "read_durations", "read_suite"]
