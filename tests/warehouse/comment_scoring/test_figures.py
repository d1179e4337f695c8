"""Accuracy of the rules on comments that they were not written with.

The figures are in warehouse/comment_scoring/README.md and must not fall.
"""

import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from tests.factories.labelled import Labelled, labelled_comments
from warehouse import comment_scoring
from warehouse.comment_scoring.folding import folded
from warehouse.comment_scoring.linear import shipped
from warehouse.comment_scoring.multilingual import Multilingual
from warehouse.comment_scoring.rules import SignalRules
from warehouse.comment_scoring.terms import TermMatcher, Terms

SIGNALS = (
    "app_question",
    "signup_intent",
    "ad_disclosure",
    "risk",
    "pay_talk",
    "brand_mention",
    "competitor",
    "referral_spam",
)
TERMS = Terms(("Lumora", "Lumora AI"), ("Notely", "QuillPad", "Brainbox"))
README = Path(comment_scoring.__file__).parent / "README.md"


@cache
def evaluation_half() -> tuple[Labelled, ...]:
    return tuple(comment for comment in labelled_comments() if comment.is_kept)


@cache
def signals_found() -> tuple[frozenset[str], ...]:
    rules, terms = SignalRules(), TermMatcher(TERMS)
    texts = [folded(comment.text) for comment in evaluation_half()]
    return tuple(frozenset(rules.signals(text) + terms.mentions(text)) for text in texts)


def precision_and_recall(signal: str) -> tuple[float, float]:
    pairs = zip(evaluation_half(), signals_found(), strict=True)
    counts = Counter((signal in comment.signals, signal in signals) for comment, signals in pairs)
    right = counts[True, True]
    return right / (right + counts[False, True]), right / (right + counts[True, False])


@cache
def sentiment_figures() -> dict[str, float]:
    sentiments = Multilingual().score([comment.text for comment in evaluation_half()])
    scored = list(zip(evaluation_half(), sentiments, strict=True))
    english = [(comment, sentiment) for comment, sentiment in scored if comment.language == "en"]
    answered = [(comment, sentiment) for comment, sentiment in english if sentiment.label]
    right = sum(sentiment.label == comment.sentiment for comment, sentiment in answered)
    others = [sentiment for comment, sentiment in scored if comment.language not in {"en", "zxx"}]
    return {
        "accuracy": right / len(answered),
        "english scored": len(answered) / len(english),
        "others scored": sum(sentiment.label is not None for sentiment in others) / len(others),
    }


def documented(name: str) -> list[float]:
    [row] = re.findall(
        rf"^\| `?{name}`? \|(.+)\|$", README.read_text(encoding="utf-8"), re.MULTILINE
    )
    return [float(cell) for cell in row.split("|")]


class TestLabels:
    def test_are_many_in_ten_languages(self) -> None:
        comments = list(labelled_comments())

        assert len(comments) >= 400
        assert len({comment.language for comment in comments} - {"zxx"}) == 10
        assert len({comment.text for comment in comments}) == len(comments)

    def test_half_of_them_are_for_evaluation(self) -> None:
        assert len(evaluation_half()) == pytest.approx(len(list(labelled_comments())) / 2, rel=0.1)

    @pytest.mark.parametrize("signal", SIGNALS)
    def test_have_each_signal_often_enough_in_the_evaluation_half(self, signal: str) -> None:
        assert sum(signal in comment.signals for comment in evaluation_half()) >= 20


class TestSignals:
    @pytest.mark.parametrize("signal", SIGNALS)
    def test_are_right_and_complete(self, signal: str) -> None:
        precision, recall = precision_and_recall(signal)

        assert precision >= 0.9
        assert recall >= 0.8

    @pytest.mark.parametrize("signal", SIGNALS)
    def test_do_not_fall_below_the_documented_figures(self, signal: str) -> None:
        assert documented(signal) == [
            pytest.approx(figure, abs=0.005) for figure in precision_and_recall(signal)
        ]


class TestSentiment:
    @pytest.mark.parametrize("figure", ["accuracy", "english scored", "others scored"])
    def test_of_english_does_not_fall_below_the_documented_figures(self, figure: str) -> None:
        assert documented(figure) == [pytest.approx(sentiment_figures()[figure], abs=0.005)]


def test_the_languages_that_are_scored_are_documented() -> None:
    rows = re.findall(
        r"^\| `(\w\w)` \|.*\| (\w+) \|$", README.read_text(encoding="utf-8"), re.MULTILINE
    )

    assert {code for code, status in rows if status == "scored"} == shipped().languages
