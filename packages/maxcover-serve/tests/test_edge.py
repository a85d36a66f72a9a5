"""What every answer has: ids, headers, counts, and a log without the text."""

import json
import os
import signal
import time

import pytest

SECRET = "Zanzibar exports cloves"  # noqa: S105 - a text of a client


def test_ids_are_given_or_kept(client):
    assert (
        client.get("/healthz", headers={"x-request-id": "abc-1"}).headers["x-request-id"] == "abc-1"
    )
    made = client.get("/healthz", headers={"x-request-id": "no spaces, please"})
    assert len(made.headers["x-request-id"]) == 16


@pytest.mark.parametrize(
    "path", ["/", "/docs", "/healthz", "/openapi.json", "/static/page.js", "/nothing"]
)
def test_every_answer_has_the_security_headers(client, path):
    headers = client.get(path, headers={"origin": "https://elsewhere.example"}).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["content-security-policy"].startswith("default-src 'none'")
    assert "unsafe" not in headers["content-security-policy"]
    assert "access-control-allow-origin" not in headers
    assert "server" not in headers


def test_probes(client):
    assert client.get("/healthz").text == "alive\n"
    assert client.get("/readyz").text == "ready\n"


def test_requests_are_counted_by_route(client):
    client.get("/no/such/path")
    page = client.get("/metrics").text
    assert 'maxcover_requests_total{route="other",status="404"}' in page
    assert "maxcover_workers_ready 1.0" in page
    assert "no/such/path" not in page


def test_the_log_has_sizes_and_never_the_text(client, server):
    body = {"documents": [f"{SECRET}. Cloves smell."], "budget": 5}
    client.post("/v1/summarize", json=body, headers={"x-request-id": "logged-1"})
    client.post(f"/v1/summarize?format={SECRET}", json={**body, SECRET: SECRET})
    client.get(f"/{SECRET}")
    client.request("ZANZIBAR1", "/")
    client.post("/v1/summarize", json=body, headers={"x-request-id": "logged-2"})
    for _ in range(100):
        if "logged-2" in server.log:
            break
        time.sleep(0.05)
    assert "anzibar" not in server.log.lower().replace("zanzibar1", "")
    lines = [json.loads(line) for line in server.log.splitlines()]
    line = next(line for line in lines if line.get("id") == "logged-1")
    assert line["received"] > 40
    assert line["sent"] > 100
    assert line["status"] == 200


def test_nothing_is_ever_asked_of_the_outside(start, tmp_path):
    """Every process of the service reports what it connects to: nothing."""
    hook = "import sys\n"
    hook += "def tell(event, args):\n"
    hook += "    if event in ('socket.connect', 'socket.getaddrinfo', 'socket.sendto'):\n"
    hook += "        sys.stderr.write('OUTGOING %s\\n' % event)\n"
    hook += "sys.addaudithook(tell)\n"
    (tmp_path / "sitecustomize.py").write_text(hook)
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    running = start(environment={"PYTHONPATH": path})
    import httpx

    body = {"documents": ["See http://example.org/a.png and <img src='http://example.org'>."]}
    answer = httpx.post(f"{running.url}/v1/summarize?format=html", json={**body, "budget": 20})
    assert answer.status_code == 200
    running.process.send_signal(signal.SIGTERM)
    running.process.wait(30)
    # binding its own address is the one look-up of the front
    outgoing = [line for line in running.log.splitlines() if line.startswith("OUTGOING")]
    assert [line for line in outgoing if "getaddrinfo" not in line] == []
    assert len(outgoing) <= 2
