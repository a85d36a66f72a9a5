"""An invented data set, small enough for every method."""

import json

TOPICS = {
    "harbour": [
        "The harbour reopened on Monday. Ships had waited for a week. Ice had closed the harbour.",
        "Ice closed the harbour for a week. Traders said that prices rose. The ships sail again.",
    ],
    "garden": [
        "The garden opens in May. Roses grow in the garden. Visitors like the roses best.",
        "Visitors came to see the roses. The garden was full. Bees like the garden as well.",
    ],
}


def write(folder):
    """Write ``clusters.jsonl`` with two clusters of two documents; return the folder."""
    rows = [
        {
            "id": name,
            "documents": [{"id": str(k), "text": text} for k, text in enumerate(texts)],
            "references": [texts[0].split(".")[0], f"All about the {name}."],
        }
        for name, texts in TOPICS.items()
    ]
    folder.mkdir(exist_ok=True)
    text = "\n".join(map(json.dumps, rows))
    (folder / "clusters.jsonl").write_text(text, encoding="utf-8")
    return folder
