import pytest

from warehouse.comment_scoring.folding import folded

SAME_SPELLING = [
    ("Is this an AD", "is this an ad"),
    ("𝘸𝘩𝘢𝘵 𝘢𝘱𝘱", "what app"),
    ("Ｕｓｅ ｍｙ ｃｏｄｅ", "use my code"),
    ("ɑpp", "app"),
    ("ѕсаm", "scam"),
    ("РЕКЛАМА", "реклама"),
    ("sc\u200bam", "scam"),
    ("s\u00adcam", "scam"),
    ("cafe\u0301", "café"),
    ("don't", "dont"),
    ("don\u2019t", "dont"),
    ("işbirliği", "İşbirliği"),
    ("إعلان", "اعلان"),
    ("か\u3099いど", "がいど"),
    ("ｱﾌﾟﾘ", "アプリ"),
    ("👏🏽", "👏"),
    ("❤️", "🧡"),
    ("Lumoraのおかげ", "lumora のおかげ"),
    ("٣", "3"),
]
DISGUISES = ["s c a m", "s.c.a.m", "scaaaam", "sc4m", "$cam", "S.C.A.M!", "🅢🅒🅐🅜"]


@pytest.mark.parametrize(("spelling", "other"), SAME_SPELLING)
def test_spellings_that_people_take_for_the_same_are(spelling: str, other: str) -> None:
    assert folded(spelling) == folded(other)


@pytest.mark.parametrize("text", DISGUISES)
def test_a_disguised_word_can_be_read(text: str) -> None:
    assert " scam " in folded(f"total {text} here")


@pytest.mark.parametrize("text", ["add", "4k", "b2b", "mp3", "i a", "cooool"])
def test_undisguised_words_are_unchanged(text: str) -> None:
    assert folded(text).startswith(f" {text} ")


def test_words_begin_and_end_with_a_space_and_marks_stand_apart() -> None:
    assert folded("What's it called?? #ad") == " whats it called ? ? # ad "


def test_no_rule_matches_across_readings() -> None:
    assert "\n" in folded("s c a m")


@pytest.mark.parametrize("text", ["", " ", "\0", "\ud800", "\u0301" * 100, "\u202e"])
def test_a_text_of_nothing_is_empty(text: str) -> None:
    assert folded(text).strip() == ""
