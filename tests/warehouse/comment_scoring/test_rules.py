import pytest

from warehouse.comment_scoring.folding import folded
from warehouse.comment_scoring.patterns import InvalidRuleError, automaton, expression
from warehouse.comment_scoring.rules import SignalRules

HARD = [
    ("I'm so glad, add me, adorable Adidas", []),
    ("this is not a scam", []),
    ("this is not a scam but they stole my money", ["risk"]),
    ("not a fraud. SCAM!", ["risk"]),
    ("this should be illegal, too good", []),
    ("it is illegal in germany", ["risk"]),
    ("he said 'is this an ad' and laughed", ["ad_disclosure"]),
    ("how much did they pay you to say this", ["ad_disclosure", "pay_talk"]),
    ("how much do they pay you for this", ["pay_talk"]),
    ("how much does it cost", ["app_question"]),
    ("I would never download this", []),
    ("use my code SAVE20", ["referral_spam"]),
    ("your code is so clean", []),
    ("use my code, or is this a scam", ["referral_spam", "risk"]),
    ("где ты купила свитер", []),
    ("купила себе", ["signup_intent"]),
    ("これPRでしょ", ["ad_disclosure"]),
    ("mi papá trabaja en publicidad", []),
    ("harga berapa kak", ["app_question"]),
    ("macam mana nak beli", ["app_question"]),
    ("dónde lo venden", ["app_question"]),
    ("nak cuba la", ["signup_intent"]),
    ("cant wait to get mine", ["signup_intent"]),
    ("I will sue them for this", ["risk"]),
    ("there is a virus, it put a virus on my phone", ["risk"]),
    ("bro makes 4k a month from these videos", ["pay_talk"]),
]
"""Comments with their expected signals."""

FALSE_FRIENDS = [
    "my aunt sue would love this",
    "such a well polished game",
    "the trojan war museum was great",
    "he is a lawyer and still laughs at this",
    "hablaron del golpe de estado en las noticias",
    "जय श्री राम 🚩🚩",
    "I finally subscribed to your channel",
    "ya me inscribí a tu canal",
    "clear the cache of your browser",
    "mortgage rates are so high now",
    "please make a video on this",
    "it just makes sense with the music",
    "kalbimi kazandınız",
    "how did they come up with that beat",
    "nobody here knows how to use it",
    "creo que la página no abre",
    "que programa maravilhoso",
    "the sequel was a huge commercial failure",
    "I got an ad for shoes while watching",
    "mi código tiene un error en la línea dos",
    "lagi cari duit buat jajan",
    "this scene https://youtu.be/abc123",
    "she works in fraud detection",
    "foi puro engano meu",
    "das ergebnis wurde falsch angezeigt",
    "me robaron el corazón con este baile",
]
"""Words that resemble a signal but mean something else, in another language or sense."""


@pytest.fixture(scope="module")
def rules() -> SignalRules:
    return SignalRules()


@pytest.mark.parametrize(("text", "signals"), HARD)
def test_reads_what_is_meant(rules: SignalRules, text: str, signals: list[str]) -> None:
    assert rules.signals(folded(text)) == signals


@pytest.mark.parametrize("text", FALSE_FRIENDS)
def test_is_not_misled_by_other_senses(rules: SignalRules, text: str) -> None:
    assert rules.signals(folded(text)) == []


class TestPhrases:
    def matches(self, phrase: str, text: str, *, anywhere: bool = False) -> bool:
        pattern = expression(phrase, {"fruit": ["apple", "pear"]}, anywhere=anywhere)
        return bool(automaton([pattern]).Match(folded(text)))

    @pytest.mark.parametrize(
        ("phrase", "text"),
        [
            ("eat {fruit}", "EAT pear"),
            ("eat ... {fruit}", "eat one two three apple"),
            ("reklam~", "reklamlar"),
            ("^app", "app here"),
            ("app$", "the app"),
            ("größe", "GROSSE"),
        ],
    )
    def test_are_found(self, phrase: str, text: str) -> None:
        assert self.matches(phrase, text)

    @pytest.mark.parametrize(
        ("phrase", "text"),
        [
            ("ad", "add"),
            ("eat {fruit}", "eat plum"),
            ("eat ... {fruit}", "eat one two three four apple"),
            ("eat ... {fruit}", "eat. apple"),
            ("^app", "the app"),
            ("app$", "app here"),
        ],
    )
    def test_are_not_found(self, phrase: str, text: str) -> None:
        assert not self.matches(phrase, text)

    def test_are_found_within_words_where_a_language_has_no_spaces(self) -> None:
        assert self.matches("詐欺", "これは詐欺です", anywhere=True)

    def test_that_name_no_list_are_refused(self) -> None:
        with pytest.raises(InvalidRuleError, match="vegetable"):
            expression("eat {vegetable}", {}, anywhere=False)

    def test_that_cannot_be_read_are_refused(self) -> None:
        with pytest.raises(InvalidRuleError, match=r"\(a"):
            automaton(["(a"])
