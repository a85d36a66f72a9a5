"""The code of other packages ranks our sentences; each test needs its package."""

import pytest

from maxcover.errors import MissingExtraError
from maxcover.lab.evaluate import load, peers
from maxcover.lab.evaluate.case import Case
from tests.lab.evaluate import invented


@pytest.fixture
def case(tmp_path):
    return Case(load(invented.write(tmp_path))[0], 9)


@pytest.mark.parametrize("name", peers.PEERS)
@pytest.mark.filterwarnings("ignore")  # theirs, not ours
def test_a_ranking_holds_every_sentence_once(name, case):
    pytest.importorskip("summa" if name == "summa" else "sumy")
    ranking = peers.PEERS[name](case)
    assert sorted(ranking) == list(range(len(case.sentences)))
    assert peers.PEERS[name](case) == ranking


def test_a_package_that_is_not_there_is_named():
    with pytest.raises(MissingExtraError, match="pip install no_such_package"):
        peers._imported("no_such_package.summarizer")
