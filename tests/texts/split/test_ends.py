"""White space before a full stop, on which sentencex fails."""

import pytest

from maxcover.texts.split.sentences import split_sentences


@pytest.mark.parametrize("space", ["\u00a0", "\u2003", "\u3000", "\u202f", "\u00a0\u00a0"])
def test_wide_space_before_a_full_stop(space):
    # sentencex 1.0.32 panics here, which no `except Exception` catches
    assert split_sentences(f"Mr J{space}. Smith came.") == [(0, 17 + len(space))]
