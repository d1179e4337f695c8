"""A custom ONNX model: real files, loaded and called as in a pipeline run."""

import math
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.factories.onnx_models import LABELS, make_model, write_labels, write_tokenizer
from warehouse.comment_scoring.chosen import chosen_model, model_or_unscored
from warehouse.comment_scoring.model_folder import UnusableModelError
from warehouse.comment_scoring.multilingual import Multilingual
from warehouse.comment_scoring.onnx_model import OnnxModel
from warehouse.comment_scoring.scorer import Sentiment

GOOD = "this is so good"
E2, E3, E4 = math.exp(2), math.exp(3), math.exp(4)
TOO_MUCH = 2_500
"""Side of matrices whose product exceeds the time limit of a comment."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_model(tmp_path_factory.mktemp("own") / "model")


@pytest.fixture(scope="module")
def model(folder: Path) -> OnnxModel:
    return OnnxModel(folder)


def test_scores_by_the_model_in_the_languages_it_reads(model: OnnxModel) -> None:
    """The logits for "good" are 0, 0, 2, so the share of positive is e^2 / (e^2 + 2)."""
    sentiments = model.score([GOOD, "очень круто", "this is bad, bad and blue", "🔥", "it is blue"])

    assert sentiments == [
        Sentiment("en", "positive", round((E2 - 1) / (E2 + 2), 4)),
        Sentiment("ru", None, None),
        Sentiment("en", "negative", round((1 - E4 * E4) / (E4 * E4 + E3 + 1), 4)),
        Sentiment("zxx", "negative", 0),
        Sentiment("en", "neutral", 0),
    ]
    assert model.score([]) == []


def test_a_batch_of_texts_has_the_results_of_single_texts(model: OnnxModel) -> None:
    texts = [f"{GOOD} " * (number % 9) + "it is bad" for number in range(1_100)]
    assert model.score(texts) == [
        sentiment for text in texts[:9] for sentiment in model.score([text])
    ] * (1_100 // 9) + model.score(texts[: 1_100 % 9])


def test_several_classes_may_mean_the_same(tmp_path: Path) -> None:
    """Shares of classes with the same label are added."""
    folder = make_model(tmp_path / "model")
    write_labels(folder, {**LABELS, "labels": ["negative", "positive", "positive"]})

    [sentiment] = OnnxModel(folder).score(["it is blue"])

    assert sentiment == Sentiment("en", "positive", round(E3 / (E3 + 2), 4))


def test_the_name_has_a_digest_of_the_files(folder: Path, model: OnnxModel, tmp_path: Path) -> None:
    again = make_model(tmp_path / "again")
    assert OnnxModel(again).name == model.name
    assert re.fullmatch(r"onnx-tiny-[0-9a-f]{8}\+[0-9a-f]{8}", model.name)
    write_labels(again, {**LABELS, "languages": ["en"]})
    assert OnnxModel(again).name != model.name


def test_a_comment_it_fails_at_stays_unscored_and_the_others_do_not(tmp_path: Path) -> None:
    """The last word of its vocabulary, "awful", is missing."""
    model = OnnxModel(make_model(tmp_path / "model", known_words=4))

    assert model.score(["this is so awful", "this is so very good"]) == [
        Sentiment("en", None, None),
        Sentiment("en", "positive", round((E2 - 1) / (E2 + 2), 4)),
    ]


def test_a_comment_its_tokenizer_fails_at_stays_unscored_and_the_others_do_not(
    tmp_path: Path,
) -> None:
    folder = make_model(tmp_path / "model")
    write_tokenizer(folder, {"a": 0, "good": 3})

    assert OnnxModel(folder).score([GOOD, "a good"]) == [
        Sentiment("en", None, None),
        Sentiment("en", "positive", round((E2 - 1) / (E2 + 2), 4)),
    ]


Broken = Callable[[Path], object]
BROKEN: dict[str, tuple[Broken, str]] = {
    "no model": (lambda f: (f / "model.onnx").unlink(), "model.onnx is missing: a model needs"),
    "no tokenizer": (lambda f: (f / "tokenizer.json").unlink(), "tokenizer.json is missing"),
    "a tokenizer of other words": (
        lambda f: write_tokenizer(f, {"bad": 1}),
        "model.onnx fails on 1 x the text 'good'",
    ),
    "one text at a time": (
        lambda f: make_model(f, batch=1),
        "model.onnx fails on 2 x the text 'good': .*a dynamic batch",
    ),
    "no labels": (lambda f: (f / "labels.json").unlink(), "labels.json is missing"),
    "another file": (lambda f: (f / "model.onnx").write_text("?"), "model.onnx cannot be loaded"),
    "half a tokenizer": (
        lambda f: (f / "tokenizer.json").write_text("{"),
        "tokenizer.json is not a tokenizer",
    ),
    "no JSON": (lambda f: (f / "labels.json").write_text("{"), "labels.json: the file: Invalid"),
    "no languages": (
        lambda f: write_labels(f, {"name": "x", "labels": ["positive", "negative"]}),
        "labels.json: languages: Field required",
    ),
    "a feeling of its own": (
        lambda f: write_labels(f, {**LABELS, "labels": ["negative", "angry", "positive"]}),
        "labels.json: labels.1: Input should be",
    ),
    "an unknown language": (
        lambda f: write_labels(f, {**LABELS, "languages": ["en", "tlh"]}),
        "labels.json: languages: unknown tlh",
    ),
    "too few labels": (
        lambda f: write_labels(f, {**LABELS, "labels": ["negative", "positive"]}),
        "model.onnx returns 1 x 3 numbers for a text, but labels.json has 2 labels",
    ),
    "other inputs": (
        lambda f: make_model(f, inputs=("pixels",)),
        "model.onnx has the inputs pixels: export a text classifier",
    ),
    "too slow": (
        lambda f: make_model(f, work=TOO_MUCH),
        r"model.onnx takes \d+\.\d\d s of processor time for 64 tokens",
    ),
    "words it does not know": (
        lambda f: make_model(f, known_words=2),
        "model.onnx fails on 1 x the text 'good'",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("broken", BROKEN)
def test_an_error_names_the_file_and_leaves_comments_unscored(tmp_path: Path, broken: str) -> None:
    breaks, message = BROKEN[broken]
    folder = make_model(tmp_path / "model")
    breaks(folder)
    lines: list[str] = []

    model = model_or_unscored(folder, lines.append)

    assert (model.name, model.score([GOOD])) == ("none", [Sentiment("en", None, None)])
    [line] = lines
    assert re.search(f"{folder}/.*{message}", line)
    assert line.endswith("; then run `tracker rescore`")


def test_a_missing_folder_is_reported_with_its_setting(tmp_path: Path) -> None:
    with pytest.raises(UnusableModelError, match="not a folder: set TRACKER_SENTIMENT_MODEL"):
        chosen_model(tmp_path / "nowhere")


def test_without_a_folder_the_built_in_model_scores() -> None:
    assert chosen_model(None).name == Multilingual().name


@pytest.mark.parametrize("text", ["good " * 20_000, "\U0001f468\u200d" * 50_000, "\ud83d" * 99, ""])
def test_a_hostile_text_takes_no_longer_than_any(model: OnnxModel, text: str) -> None:
    """The tiny model takes no time: the test measures our code and the tokenizer."""
    seconds = []
    for _ in range(3):
        began = time.process_time()
        model.score([text])
        seconds.append(time.process_time() - began)
    assert min(seconds) < 0.005
