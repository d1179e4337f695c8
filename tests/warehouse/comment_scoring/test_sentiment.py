import pytest

from warehouse.comment_scoring.language import WORDLESS, language_of
from warehouse.comment_scoring.vader import Vader


@pytest.fixture(scope="module")
def model() -> Vader:
    return Vader()


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("I love this so much", "positive"),
        ("not good at all", "negative"),
        ("what a waste of time", "negative"),
        ("chef's kiss", "positive"),
        ("no regrets", "positive"),
        ("🔥🔥🔥", "positive"),
        ("🤮", "negative"),
        ("👏🏽👏🏽", "positive"),
        ("the second one is blue", "neutral"),
        ("I 𝐥𝐨𝐯𝐞 this", "positive"),
    ],
)
def test_scores_english_and_emoji(model: Vader, text: str, label: str) -> None:
    assert model.score(text).label == label


@pytest.mark.parametrize(
    "text",
    ["me encanta", "das ist brutal gut", "очень круто", "どれもかわいい", "je déteste ça", "super"],
)
def test_leaves_other_languages_unscored(model: Vader, text: str) -> None:
    sentiment = model.score(text)

    assert (sentiment.label, sentiment.compound) == (None, None)
    assert sentiment.language not in {"en", WORDLESS}


def test_the_score_lies_between_worst_and_best_and_agrees_with_the_label(model: Vader) -> None:
    best = model.score("great great great amazing wonderful love love love!!!").compound
    worst = model.score("awful horrible terrible hate scam worst").compound

    assert best is not None
    assert worst is not None
    assert -1 <= worst < -0.9 < 0.9 < best <= 1


def test_the_name_tells_the_version(model: Vader) -> None:
    assert model.name.startswith("vader-3.3.2+")


@pytest.mark.parametrize("text", ["", "   ", "2026", "...", "😂", "@someone", "\0"])
def test_a_text_without_words_has_no_language(text: str) -> None:
    assert language_of(text) == WORDLESS


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("where did you get that", "en"),
        ("@anna.k look at this https://example.com/x", "en"),
        ("¿cómo se llama la aplicación?", "es"),
        ("hangi uygulama bu", "tr"),
        ("これは何ですか", "ja"),
    ],
)
def test_tells_the_language(text: str, language: str) -> None:
    assert language_of(text) == language
