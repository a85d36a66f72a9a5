"""The bit rows against the table that every textbook draws."""

from hypothesis import given
from hypothesis import strategies as st

from maxcover.lab.evaluate.lcs import lcs_length, union_lcs

sentences = st.lists(st.sampled_from("abcde"), max_size=12)


def table(first, second):
    cells = [[0] * (len(second) + 1) for _ in range(len(first) + 1)]
    for i, one in enumerate(first, start=1):
        for j, two in enumerate(second, start=1):
            if one == two:
                cells[i][j] = cells[i - 1][j - 1] + 1
            else:
                cells[i][j] = max(cells[i - 1][j], cells[i][j - 1])
    return cells


def traced(first, second):
    """ROUGE-1.5.5's way back: diagonal on a match, up unless left is strictly longer."""
    cells = table(first, second)
    i, j, hits = len(first), len(second), set()
    while i and j:
        if first[i - 1] == second[j - 1]:
            i, j = i - 1, j - 1
            hits.add(i)
        elif cells[i - 1][j] >= cells[i][j - 1]:
            i -= 1
        else:
            j -= 1
    return hits


@given(sentences, sentences)
def test_length_is_that_of_the_table(first, second):
    assert lcs_length(first, second) == table(first, second)[-1][-1]


@given(sentences, st.lists(sentences, max_size=4))
def test_union_is_that_of_the_traces(line, others):
    expected = set().union(*(traced(line, other) for other in others))
    assert union_lcs(line, others) == sorted(expected)
