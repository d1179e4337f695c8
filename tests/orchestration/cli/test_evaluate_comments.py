"""`tracker evaluate-comments` as people use it."""

import json
from pathlib import Path

import polars as pl
import pytest

from tests.orchestration.commands import environment, tracker_here

ROWS = [
    {"language": "en", "sentiment": "positive", "text": "I love this so much, amazing"},
    {"language": "en", "sentiment": "negative", "text": "I hate it, what a horrible scam"},
    {"language": "en", "sentiment": "negative", "text": "the second one is blue"},
    {"language": "ru", "sentiment": "positive", "text": "очень круто"},
]


def write(file: Path, rows: list[dict[str, str]]) -> Path:
    frame = pl.DataFrame(rows)
    if file.suffix == ".parquet":
        frame.write_parquet(file)
    else:
        frame.write_csv(file)
    return file


@pytest.mark.slow
@pytest.mark.parametrize("name", ["labelled.csv", "labelled.parquet"])
def test_reports_the_scorers_accuracy_by_language(tmp_path: Path, name: str) -> None:
    file = write(tmp_path / name, ROWS)

    process = tracker_here("evaluate-comments", str(file), "--json", env=environment(tmp_path))

    answer = json.loads(process.stdout)
    assert answer["sentiment_model"].startswith("linear-")
    none = {"positive": 0, "neutral": 0, "negative": 0, "unscored": 0}
    assert answer["languages"] == [
        {
            "language": "en",
            "texts": 3,
            "scored_share": 1.0,
            "macro_recall": 0.75,
            "confusion": {
                "positive": {**none, "positive": 1},
                "neutral": none,
                "negative": {**none, "neutral": 1, "negative": 1},
            },
        },
        {
            "language": "ru",
            "texts": 1,
            "scored_share": 0.0,
            "macro_recall": None,
            "confusion": {
                "positive": {**none, "unscored": 1},
                "neutral": none,
                "negative": none,
            },
        },
    ]


@pytest.mark.slow
def test_detects_languages_that_are_not_given(tmp_path: Path) -> None:
    rows = [{"sentiment": row["sentiment"], "text": row["text"]} for row in ROWS]
    file = write(tmp_path / "labelled.csv", rows)

    process = tracker_here("evaluate-comments", str(file), env=environment(tmp_path))

    assert [line.split()[0] for line in process.stdout.splitlines()[2:]].count("en") == 1
    assert "0.750" in process.stdout


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("missing.csv", None, "cannot be read"),
        ("a.csv", "text,feeling\nhi,positive\n", "has no column sentiment"),
        ("a.csv", "text,sentiment\nhi,happy\n", "row 1: sentiment 'happy'"),
        ("a.parquet", "no parquet", "cannot be read"),
    ],
)
def test_a_file_that_does_not_fit_is_reported(
    tmp_path: Path, name: str, content: str | None, reason: str
) -> None:
    file = tmp_path / name
    if content is not None:
        file.write_text(content)

    process = tracker_here("evaluate-comments", str(file), env=environment(tmp_path))

    assert process.returncode == 1
    assert reason in " ".join(process.stderr.split())
    assert "Traceback" not in process.stderr
