"""The client against the real service."""

import asyncio
import socket
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

import maxcover as mc
from maxcover_serve.client import Client, ServiceError
from test_pressure import hard, text

TEXTS = ["Cats purr. Cats and dogs sleep all day.", "Dogs bark at night. Birds sing."]


def test_answers_are_those_of_the_library(server):
    with Client(server.url) as client:
        summary = client.summarize(TEXTS, budget=8, order="gain")
        assert summary["text"] == mc.summarize(TEXTS, budget=8, order="gain").text
        packed = client.pack(TEXTS, budget=30, query="Who barks?")
        assert packed["text"] == mc.pack(TEXTS, budget=30, query="Who barks?").text
        asked = ["Who barks?", "Who purrs?"]
        several = client.pack(TEXTS, budget=12, query=asked, scores=[1, None])
        assert several["text"] == mc.pack(TEXTS, budget=12, query=asked).text
        solution = client.solve({"a": [1, 2], "b": [2, 3, 4]}, budget=1)
        assert solution["labels"] == ["b"]
        said = client.explain({"a": [1, 2], "b": [2, 3, 4]}, budget=1, solution=solution)
        assert [one["label"] for one in said["sets"] if one["chosen"]] == ["b"]
        curve = client.curve(TEXTS, budgets=[4, "100%"])
        assert len(curve["values"]) == 2


MADE_UP = {
    "selected": [1],
    "labels": ["b"],
    "value": 3.0,
    "cost": 1.0,
    "upper_bound": 3.0,
    "status": "optimal",
    "bound_by": "nobody",
}
SETS = {"a": [1, 2], "b": [2, 3, 4], "c": [5]}


def test_answers_can_be_sent_back_to_be_checked(server):
    with Client(server.url) as client:
        solution = client.solve(SETS, budget=2, proof=True)
        assert solution["shares"]
        assert client.verify(SETS, solution, budget=2)["ok"]
        plan = client.cover(SETS, target=0.8, proof=True)
        assert (
            plan["cost"] == mc.cover(mc.CoverageProblem.from_sets(SETS, budget=0), target=0.8).cost
        )
        assert client.verify(SETS, plan)["ok"]
        assert not client.verify(SETS, {**plan, "lower_bound": 3.0})["ok"]


def test_threads_share_a_client(server):
    async def ask(client):
        return await asyncio.gather(
            asyncio.to_thread(client.summarize, TEXTS, budget=8),
            asyncio.to_thread(client.pack, TEXTS, budget=30),
            asyncio.to_thread(client.solve, [[1, 2], [3]], budget=1),
            asyncio.to_thread(client.curve, TEXTS, budgets=[4, 8]),
            asyncio.to_thread(client.cover, SETS, weight=3),
            asyncio.to_thread(client.verify, SETS, MADE_UP, budget=1),
        )

    with Client(server.url) as client:
        summary, packed, solution, curve, plan, report = asyncio.run(ask(client))
        assert client.summarize(TEXTS, budget=8)["text"] == summary["text"]
        assert client.pack(TEXTS, budget=30)["text"] == packed["text"]
        assert client.solve([[1, 2], [3]], budget=1)["selected"] == solution["selected"]
        assert client.curve(TEXTS, budgets=[4, 8])["values"] == curve["values"]
        assert client.cover(SETS, weight=3)["selected"] == plan["selected"]
        assert client.verify(SETS, MADE_UP, budget=1) == report


def test_what_is_wrong_is_raised(server):
    with Client(server.url) as client:
        with pytest.raises(ServiceError, match=r"422.*no sentence fits") as refused:
            client.summarize(TEXTS, budget=1)
        assert (refused.value.status, refused.value.code) == (422, "TextError")
    with Client(server.url, headers={"host": "evil.example"}) as client:
        with pytest.raises(ServiceError) as refused:
            client.solve([[1]], budget=1)
        assert refused.value.status == 400


def test_a_full_queue_is_waited_for(start):
    running = start(queue=1)
    with Client(running.url) as client, ThreadPoolExecutor(2) as crowd:
        for _ in range(2):
            crowd.submit(client.call, "solve", hard(1.5))
        running.wait_until(lambda: running.gauge("queue_length"))
        summary = client.summarize([text(5)], budget=12)
    assert all("Case5 " in sentence["text"] for sentence in summary["sentences"])


def test_an_answer_of_something_else_is_told(server):
    """A proxy in between may answer with a page."""
    with socket.create_server(("127.0.0.1", 0)) as proxy:

        def answer():
            connection, _ = proxy.accept()
            connection.recv(10_000)
            connection.sendall(b"HTTP/1.1 502 Bad Gateway\r\ncontent-length: 2\r\n\r\nno")
            connection.close()

        thread = threading.Thread(target=answer)
        thread.start()
        with (
            Client(f"http://127.0.0.1:{proxy.getsockname()[1]}") as client,
            pytest.raises(ServiceError, match="502"),
        ):
            client.solve([[1]], budget=1)
        thread.join()
