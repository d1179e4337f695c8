import pytest

from warehouse.comment_scoring.language import UNSURE, WORDLESS, languages_of
from warehouse.comment_scoring.linear import shipped
from warehouse.comment_scoring.multilingual import Multilingual


@pytest.fixture(scope="module")
def model() -> Multilingual:
    return Multilingual()


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
        ("Great. Another one of these. 🙄", "negative"),
        ("👏🏽👏🏽", "positive"),
        ("the second one is blue", "neutral"),
        ("I 𝐥𝐨𝐯𝐞 this", "positive"),
    ],
)
def test_scores_english_and_emoji(model: Multilingual, text: str, label: str) -> None:
    assert [sentiment.label for sentiment in model.score([text])] == [label]


@pytest.mark.parametrize(
    "text", ["очень круто", "どれもかわいい", "wat een mooie dag is het vandaag zeg"]
)
def test_leaves_unread_languages_unscored(model: Multilingual, text: str) -> None:
    [sentiment] = model.score([text])

    assert (sentiment.label, sentiment.compound) == (None, None)
    assert sentiment.language not in {*shipped().languages, WORDLESS}


def test_answers_each_text_in_its_place(model: Multilingual) -> None:
    texts = ["I love this", "очень круто", "🤮", "", "I hate this"]

    assert model.score(texts) == [sentiment for text in texts for sentiment in model.score([text])]
    assert model.score([]) == []


def test_the_score_lies_between_worst_and_best_and_agrees_with_the_label(
    model: Multilingual,
) -> None:
    best, worst = model.score(
        [
            "great great great amazing wonderful love love love!!!",
            "awful horrible terrible hate scam worst",
        ]
    )

    assert (best.label, worst.label) == ("positive", "negative")
    assert best.compound is not None
    assert worst.compound is not None
    assert -1 <= worst.compound < -0.5 < 0.5 < best.compound <= 1


def test_the_name_has_the_version(model: Multilingual) -> None:
    assert model.name.startswith(f"linear-{shipped().version}+vader-3.3.2+")


@pytest.mark.parametrize("text", ["", "   ", "2026", "...", "😂", "@someone", "\0"])
def test_a_text_without_words_has_no_language(text: str) -> None:
    assert languages_of([text]) == [WORDLESS]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("where did you get that", "en"),
        ("@anna.k look at this https://example.com/x", "en"),
        ("¿cómo se llama la aplicación?", "es"),
        ("hangi uygulama bu", "tr"),
        ("これは何ですか", "ja"),
        ("bhai ye kya hai yaar", "hi"),
        ("यह बहुत अच्छा है", "hi"),
        ("este producto es muy bueno, me encanta", "es"),
        ("muito bom, adorei demais", "pt"),
        ("هذا رائع جدا", "ar"),
        ("tbh idk", UNSURE),
    ],
)
def test_detects_the_language(text: str, language: str) -> None:
    assert languages_of([text]) == [language]
