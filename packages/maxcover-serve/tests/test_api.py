"""The API gives what the library gives, and says clearly what it does not take."""

import base64
import json
import random

import pytest

import maxcover as mc
from maxcover.ground.options.plain import fits
from maxcover.texts.report.formats import FORMATS
from maxcover_serve.service import description, frames, settings, tasks

TEXTS = [
    "The storm reached the coast on Monday. Ferries stayed in the harbour. Fish was scarce.",
    "No boat left the harbour because of the storm. Prices doubled. Ferries sail on Wednesday.",
]
SETS = {"unit": ["parser", "lexer"], "end-to-end": ["parser", "shell"], "smoke": ["shell"]}


def post(client, task, content, **options):
    return client.post(f"/v1/{task}", json=content, **options)


def test_a_summary_is_that_of_the_library(client):
    answer = post(client, "summarize", {"documents": TEXTS, "budget": 15}).json()
    expected = mc.summarize(TEXTS, budget=15).to_dict()
    assert {**answer, "seconds": 0} == {**json.loads(json.dumps(expected)), "seconds": 0}


def test_options_are_handed_through(client):
    options = {"unit": "characters", "order": "gain", "forbidden": [0], "stop_words": False}
    answer = post(client, "summarize", {"documents": TEXTS, "budget": 90, **options}).json()
    assert answer["text"] == mc.summarize(TEXTS, budget=90, **options).text


def test_only_what_is_new_in_the_language_of_the_texts(client):
    texts = ["Der Hafen bleibt bis Freitag zu. Die Fähre fährt am Montag wieder nach Norden."]
    known = ["Bis Freitag bleibt der Hafen zu."]
    answer = client.post("/v1/summarize", json={"documents": texts, "known": known, "budget": 90})
    assert answer.status_code == 200
    expected = mc.summarize(texts, known=known, budget=90)
    assert answer.json()["text"] == expected.text == texts[0][33:]
    assert expected.language == "german"


def test_a_solution_is_that_of_the_library(client):
    content = {"sets": SETS, "costs": {"unit": 1, "end-to-end": 5, "smoke": 2}, "budget": 3}
    answer = post(client, "solve", content).json()
    problem = mc.CoverageProblem.from_sets(SETS, costs=content["costs"], budget=3)
    assert answer["labels"] == list(mc.solve(problem).labels)
    assert answer["status"] == "optimal"


def test_the_options_of_a_method_are_handed_through(client):
    options = {"method": "bp", "beta": 3.0, "mu": 0.5, "damping": 0.6, "max_sweeps": 2}
    answer = post(client, "solve", {"sets": SETS, "budget": 2, **options}).json()
    assert (answer["method"], answer["stopped"][-14:]) == ("bp", "after 2 sweeps")
    answer = post(client, "summarize", {"documents": TEXTS, "budget": 20, **options}).json()
    assert answer["text"] == mc.summarize(TEXTS, budget=20, **options).text


def test_a_plan_is_that_of_the_library(client):
    costs = {"unit": 1, "end-to-end": 5, "smoke": 2}
    problem = mc.CoverageProblem.from_sets(SETS, costs=costs, budget=0)
    for target in ({"target": 0.6}, {"weight": 3}):
        answer = post(client, "cover", {"sets": SETS, "costs": costs, **target}).json()
        plan = mc.cover(problem, **target)
        assert {**answer, "seconds": 0} == {**plan.to_dict(), "seconds": 0}


RNG = random.Random(5)
LARGE = {
    "sets": {f"s{k}": RNG.sample(range(60), 6) for k in range(40)},
    "costs": {f"s{k}": RNG.randint(1, 9) for k in range(40)},
    "weights": RNG.choices(range(1, 9), k=60),
    "groups": {f"s{k}": f"g{k % 4}" for k in range(40)},
    "max_items": 3,
}


@pytest.mark.parametrize(("task", "asked"), [("solve", {"budget": 25}), ("cover", {"target": 0.6})])
def test_what_the_service_says_can_be_checked_there(client, task, asked):
    """The answer goes back as it came; whoever changes it in any place is found out."""
    said = post(client, task, {**LARGE, **asked, "proof": True}).json()
    back = {**LARGE, "budget": asked.get("budget")}
    report = post(client, "verify", {**back, "solution": said}).json()
    assert (report["ok"], report["refused"], report["trusted"]) == (True, [], [])
    assert report["status"] == said["status"]
    better = {"upper_bound": said["value"] - 1} if task == "solve" else {"lower_bound": 99.0}
    for change in (
        better,
        {"value": said["value"] + 1},
        {"cost": said["cost"] - 1},
        {"selected": said["selected"][1:]},
        {"labels": said["labels"][::-1]},
    ):
        report = post(client, "verify", {**back, "solution": {**said, **change}}).json()
        assert not report["ok"], change
        assert report["status"] == "unverified"


def test_minima_and_needs_are_those_of_the_library(client):
    asked = {
        "sets": {"a": ["1", "2", "3", "7"], "b": ["1", "4", "5"], "c": ["6"], "d": ["1", "6"]},
        "groups": {"c": "rare", "d": "rare"},
        "min_items": {"rare": 1},
        "need": {"1": 2},
        "budget": 2,
    }
    said = post(client, "solve", {**asked, "proof": True}).json()
    assert (said["labels"], said["value"]) == (["a", "d"], 5)
    assert len(said["row_prices"]) == 1
    report = post(client, "verify", {**asked, "solution": said}).json()
    assert (report["ok"], report["refused"]) == (True, [])
    forged = {**said, "row_prices": [[1], []]}
    assert post(client, "verify", {**asked, "solution": forged}).status_code == 422


def test_an_earlier_selection_is_kept_where_change_costs_much(client):
    problem = {"sets": [[1, 2, 3], [3, 4, 5], [5, 6]], "start": [2], "change_cost": 0.9}
    assert 2 in post(client, "solve", {**problem, "budget": 1}).json()["selected"]
    assert 2 in post(client, "cover", {**problem, "weight": 2}).json()["selected"]
    refused = post(client, "solve", {"sets": [[1]], "budget": 1, "change_cost": 0.5})
    assert "expected start together with" in refused.json()["error"]["message"]


def test_the_example_of_a_check_is_proven(client):
    """It has no labels, about which it then says nothing."""
    assert post(client, "verify", description.EXAMPLES["verify"]).json()["outcome"] == "proven"


def test_a_solution_without_its_budget_cannot_be_checked(client):
    said = post(client, "solve", {"sets": SETS, "budget": 2}).json()
    answer = post(client, "verify", {"sets": SETS, "solution": said})
    assert answer.status_code == 422
    assert "expected the budget" in answer.json()["error"]["message"]


def test_elements_are_numbers_when_weights_are_a_list(client):
    content = {"sets": [[0, 1], [2]], "weights": [1, 1, 5], "budget": 1}
    assert post(client, "solve", content).json()["value"] == 5
    refused = post(client, "solve", {**content, "sets": [[0, 3]]})
    assert refused.status_code == 422
    assert "indices from 0 to 2" in refused.json()["error"]["message"]


@pytest.mark.parametrize("limit", [{}, {"time_limit": 5}])
def test_a_curve_is_that_of_the_library(client, limit):
    budgets = list(range(4, 40, 2))
    answer = post(client, "curve", {"documents": TEXTS, "budgets": budgets, **limit}).json()
    curve = mc.summarize(TEXTS, budget="100%", max_similarity=1).curve(budgets)
    assert answer["values"] == curve.values.tolist()
    assert answer["budgets"] == budgets


def test_the_detail_of_a_curve_adds_up(client):
    request = {"documents": TEXTS, "budgets": [6, "50%"], "detail": True}
    answer = post(client, "curve", request).json()
    for chosen, value in zip(answer["selections"], answer["values"], strict=True):
        covered = {c for k in chosen for c in answer["sentences"][k]["concepts"]}
        assert sum(answer["concepts"][c]["weight"] for c in covered) == pytest.approx(value)
    first = answer["sentences"][0]
    assert TEXTS[0][first["start"] : first["end"]] == "The storm reached the coast on Monday."
    assert first["text"] == "The storm reached the coast on Monday."
    assert all(concept["name"] for concept in answer["concepts"])
    assert answer["usual_budget"] == mc.summarize(TEXTS).corpus.budget() in answer["budgets"]


@pytest.mark.parametrize(
    ("task", "content", "said"),
    [
        ("solve", {"sets": SETS, "budget": 0.5}, "write budget='50%'"),
        ("solve", {"sets": {}, "budget": 1}, "no sets"),
        ("explain", {"sets": SETS, "budget": 2, "forbidden": [*SETS]}, "all sets are forbidden"),
        ("pack", {"passages": TEXTS, "budget": 1}, "nothing is packed"),
        ("summarize", {"documents": TEXTS, "budget": 20, "query": "xyzzy"}, "xyzzy"),
    ],
)
def test_what_python_would_warn_of_is_in_the_answer(client, task, content, said):
    answer = post(client, task, content)
    assert answer.status_code == 200, answer.text
    assert said in " ".join(answer.json()["warnings"])
    assert "warnings" not in post(client, "solve", {"sets": SETS, "budget": 1}).json()


def test_a_curve_of_sets(client):
    answer = post(client, "curve", {"sets": [[1, 2], [3]], "budgets": [2, 1]}).json()
    assert answer["values"] == [3, 2]


def test_a_context_is_that_of_the_library(client):
    options = {"query": "What became of the ferries?", "scores": [1, 2]}
    answer = post(client, "pack", {"passages": TEXTS, "budget": 25, **options}).json()
    assert answer["text"] == mc.pack(TEXTS, budget=25, **options).text
    assert answer["passages"][0]["spans"]


def test_several_questions_share_the_budget_of_a_context(client):
    texts = [
        "The harbour of Oslo is old. Ships anchor in the harbour of Oslo every summer.",
        "The harbour of Oslo was rebuilt in 1987 by a firm from Bergen.",
        "Copper melts at 1085 degrees.",
    ]
    asked = ["When was the harbour of Oslo rebuilt?", "At what temperature does copper melt?"]
    options = {"granularity": "passage", "language": "english", "scores": [3, None, 1]}
    sent = {"passages": texts, "budget": 35, **options}
    answer = post(client, "pack", {**sent, "query": asked}).json()
    assert answer["text"] == mc.pack(texts, budget=35, query=asked, **options).text
    assert "1987" in answer["text"]
    assert "1085" in answer["text"]
    assert "1085" not in post(client, "pack", {**sent, "query": asked[0]}).json()["text"]
    refused = post(client, "pack", {**sent, "query": asked * 51})
    assert refused.status_code == 422


def files(**contents):
    return {
        "files": [
            {"name": name.replace("_", "."), "content": base64.b64encode(content).decode()}
            for name, content in contents.items()
        ]
    }


def test_files_are_read_as_on_the_command_line(client):
    page = "<html><body><article><p>Cats purr all day long, says a study of cats.</p></article>"
    sent = files(
        a_txt="Größe.".encode("utf-16"),
        b_html=page.encode(),
        c_jsonl=b'{"id": "one", "text": "Cats."}\n{"documents": ["Dogs.", "Birds."]}\n',
    )
    found = post(client, "read", sent).json()["documents"]
    assert [(one["name"], one["text"]) for one in found] == [
        ("a.txt", "Größe."),
        ("b.html", "Cats purr all day long, says a study of cats."),
        ("one", "Cats."),
        ("document 1", "Dogs."),
        ("document 2", "Birds."),
    ]


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        (files(a_pdf=b"%PDF-1.7 ..."), "a.pdf is no PDF file that can be read"),
        (files(a_txt=b"caf\xe9"), "a.txt is not utf-8"),
        (files(a_txt=b""), "a.txt is empty"),
        ({"files": [{"name": "a.txt", "content": "no base64!"}]}, "in base64"),
    ],
)
def test_files_that_are_no_texts_are_refused(client, sent, message):
    answer = post(client, "read", sent)
    assert answer.status_code == 422
    assert message in answer.json()["error"]["message"]


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_is_that_of_the_command_line(client, form):
    content = {"documents": TEXTS, "budget": 15, "names": ["a.txt", "b.txt"], "title": "News"}
    answer = client.post("/v1/summarize", params={"format": form}, json=content)
    assert answer.headers["content-type"] == frames.MEDIA[form]
    if form in {"text", "markdown", "html"}:
        expected = FORMATS[form].write(mc.summarize(TEXTS, budget=15), ["a.txt", "b.txt"], "News")
        assert answer.text == expected


def test_a_report_is_a_download_that_runs_nothing(client):
    content = {"documents": TEXTS, "budget": 15}
    headers = client.post("/v1/summarize?format=html", json=content).headers
    assert headers["content-disposition"].startswith("attachment")
    assert "sandbox" in headers["content-security-policy"]
    assert "script-src" not in headers["content-security-policy"]


@pytest.mark.parametrize(
    ("task", "content", "status", "code"),
    [
        ("summarize", {"budget": 5}, 422, "invalid_request"),
        ("summarize", {"documents": [], "budget": 5}, 422, "OptionError"),
        ("summarize", {"documents": [1], "budget": 5}, 422, "OptionError"),
        ("summarize", {"documents": TEXTS, "budget": 5, "colour": 1}, 422, "invalid_request"),
        ("summarize", {"documents": TEXTS, "budget": 1}, 422, "TextError"),
        ("summarize", {"documents": ["!"], "budget": 9}, 422, "TextError"),
        ("summarize", {"documents": TEXTS, "budget": 9, "unit": "miles"}, 422, "invalid_request"),
        ("summarize", {"documents": TEXTS, "budget": 9, "names": ["a"]}, 422, "OptionError"),
        ("summarize", {"documents": ["A b."] * 1001, "budget": 9}, 413, "too_large"),
        ("solve", {"sets": SETS, "budget": 3, "method": "magic"}, 422, "invalid_request"),
        ("solve", {"sets": SETS, "budget": 0, "required": ["unit"]}, 422, "InfeasibleError"),
        ("cover", {"sets": SETS}, 422, "OptionError"),
        ("cover", {"sets": SETS, "target": 0.5, "weight": 2}, 422, "OptionError"),
        ("cover", {"sets": SETS, "weight": 99}, 422, "InfeasibleError"),
        ("verify", {"sets": SETS, "budget": 1}, 422, "invalid_request"),
        ("verify", {"sets": SETS, "budget": 1, "solution": {}}, 422, "invalid_request"),
        ("curve", {"sets": SETS, "budgets": list(range(201))}, 413, "too_large"),
        ("curve", {"budgets": [1]}, 422, "invalid_request"),
        ("curve", [], 422, "invalid_request"),
    ],
)
def test_what_is_wrong_is_said(client, task, content, status, code):
    answer = post(client, task, content)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)


@pytest.mark.parametrize(
    "body", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b'{"documents": ["\\ud800"], "budget": 3}']
)
def test_a_body_that_is_no_json_is_refused(client, body):
    answer = client.post(
        "/v1/summarize", content=body, headers={"content-type": "application/json"}
    )
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "invalid_json"


def test_numbers_that_json_does_not_know_are_refused(client):
    body = b'{"sets": [[1]], "costs": [NaN], "budget": 1}'
    headers = {"content-type": "application/json"}
    assert client.post("/v1/solve", content=body, headers=headers).status_code == 400


def test_other_media_types_are_refused(client):
    answer = client.post("/v1/summarize", content="{}", headers={"content-type": "text/plain"})
    assert answer.status_code == 415


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/nothing", 404), ("GET", "/v1/solve", 405), ("POST", "/healthz", 405)],
)
def test_unknown_paths_and_methods(client, method, path, status):
    answer = client.request(method, path)
    assert answer.status_code == status
    assert answer.json()["error"]["code"]


def test_an_unknown_format_is_refused(client):
    answer = post(client, "summarize?format=pdf", {"documents": TEXTS, "budget": 15})
    assert answer.json()["error"]["code"] == "unknown_format"


def test_the_description_names_every_task_and_its_examples_work(client):
    found = client.get("/openapi.json").json()
    assert set(settings.NAMES) == set(tasks.TASKS)
    for task in settings.NAMES:
        body = found["paths"][f"/v1/{task}"]["post"]["requestBody"]
        examples = body["content"]["application/json"]["examples"]
        assert examples
        for example in examples.values():
            assert post(client, task, example["value"]).status_code == 200


EXAMPLES = [(task, call) for task, row in tasks.TASKS.items() for call in row.calls]


@pytest.mark.parametrize(("task", "call"), EXAMPLES)
def test_answers_match_the_description(client, task, call):
    asked = description.EXAMPLES[call]
    answer = post(client, task, asked).json()
    kind = tasks.TASKS[task].answer
    assert fits(answer, kind)
    if task != "pack":  # whose schema has a page of its own
        assert set(answer) <= {*kind.__required_keys__, *kind.__optional_keys__}


def test_answers_with_a_proof_are_saved_solutions(client, tmp_path):
    for task, asked in (("solve", {"budget": 1}), ("cover", {"target": 1})):
        answer = post(client, task, {"sets": SETS, **asked, "proof": True}).json()
        assert fits(answer, tasks.TASKS[task].answer)
        assert answer["shares"]
        (tmp_path / "answer.json").write_text(json.dumps(answer))
        problem = mc.CoverageProblem.from_dict({"sets": SETS, "budget": 1})
        assert mc.verify(problem, mc.load(tmp_path / "answer.json")).ok


def test_decisions_and_sites_are_those_of_the_library(client):
    sets = {"sets": SETS, "costs": {"unit": 1, "end-to-end": 5, "smoke": 2}, "budget": 6}
    problem = mc.CoverageProblem.from_dict(sets)
    asked = {**sets, "solution": ["end-to-end"], "explain": ["smoke"]}
    said = post(client, "explain", asked).json()
    assert said == mc.explain(problem, ["end-to-end"], ["smoke"]).to_dict()
    found = post(client, "solve", sets).json()
    again = post(client, "explain", {**sets, "solution": found}).json()
    assert again["sets"] == mc.explain(problem, mc.solve(problem)).to_dict()["sets"]
    said = post(client, "plan", {**sets, "phases": "every"}).json()
    assert said == mc.plan(problem, phases="every").to_dict()
    said = post(client, "sensitivity", {**sets, "n": 9, "seed": 3}).json()
    assert said["draws"] == 9
    said = post(client, "alternatives", {**sets, "within": 0.5, "n": 2}).json()
    assert len(said["solutions"]) == 2
    places = description.EXAMPLES["sites"]
    assert post(client, "sites", places).json()["labels"] == ["south"]
    many = {"x": [0] * 2000, "y": [0] * 2000}
    refused = post(client, "sites", {**places, "sites": many, "demand": many, "weights": None})
    assert refused.status_code == 413


def test_every_media_type_belongs_to_a_format():
    assert set(frames.MEDIA) == set(FORMATS)


@pytest.mark.parametrize(
    ("task", "more"),
    [
        ("explain", {}),
        ("alternatives", {"n": 9}),
        ("plan", {"budgets": [10, 20, 30, 40, 50, 60, 70, 80, 90, 100]}),
        ("plan", {"phases": "every"}),
        ("sensitivity", {}),
        ("curve", {"budgets": list(range(1, 200))}),
    ],
)
def test_a_slow_question_gives_what_it_has_before_its_deadline(client, task, more):
    graph = mc.generate.biregular(200, 600, 30, 10, budget=200, seed=3)
    about = graph.to_dict()
    content = {name: about[name] for name in ("sets", "costs", "weights", "budget")}
    answer = post(client, task, {**content, **more, "time_limit": 0.2})
    assert answer.status_code == 200, answer.text
    held = answer.json()
    assert held["missing"] if task == "curve" else "time limit" in held["unfinished"]
