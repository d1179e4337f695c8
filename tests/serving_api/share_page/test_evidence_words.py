"""The basis of an amount in plain words, for each type of evidence."""

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from serving_api.share_page.evidence_words import FALLS, MOST, baseline_of, in_words, posts_in

ZONE = ZoneInfo("Europe/Berlin")
"""UTC+2 in May."""
TITLES = {"one": "Spring", "two": "Summer"}
READ = {"captured_at": "2026-05-03T08:30:00.000000Z", "source": "import", "is_exact": True}
ROUNDED = {"captured_at": datetime(2026, 5, 10, 9, tzinfo=UTC), "is_exact": False}

CPM: dict[str, Any] = {
    "type": "cpm",
    "covered": [
        {"from": "2026-05-04", "to": "2026-05-08"},
        {"from": "2026-05-10", "to": "2026-05-10"},
    ],
    "paused_days": 1,
    "view_coverage": {"readings_due": 1_200, "readings_came": 1_150},
    "videos": [
        {
            "video_id": "one",
            "views_from": 1_000,
            "views_to": 13_400,
            "views": 12_400,
            "from_reading": READ,
            "to_reading": ROUNDED,
        },
        {"video_id": "two", "views_from": 0, "views_to": 1, "views": 1, "from_reading": None},
    ],
    "views_as_of": [{"video_id": "two", "views_as_of": "2026-05-05T00:00:00.000000Z"}],
    "held": [{"video_id": "three", "posted_at_awaited_until": "2026-05-12T10:00:00.000000Z"}],
}
GOAL = {"metric": "posts", "actual": 3, "target": 4_000, "is_met": False}
SALE = {"occurred_at": "2026-05-05T07:00:00.000000Z", "quantity": 2, "total_value_cents": 1_999}
CASES: dict[str, tuple[dict[str, Any], list[str]]] = {
    "cpm": (
        CPM,
        [
            "Days that count: 4 May 2026 to 8 May 2026, 10 May 2026",
            "Payouts were paused on 1 day",
            (
                "A post's views rise from the highest count read before these days begin"
                " (0 for a newer post) to the highest one read before they end"
            ),
            "1,150 of 1,200 planned checks of views succeeded on these days",
            "Views of \u201cSummer\u201d could not be read since 5 May 2026, 02:00",
            (
                "\u201cthree\u201d is excluded until its posting time is known,"
                " at the latest until 12 May 2026, 12:00"
            ),
        ],
    ),
    "view_threshold": (
        {"type": "view_threshold", "video_id": "one", "views_read": 10_020, "reading": READ},
        [],
    ),
    "recurring": ({"type": "recurring", "paused_days": 0}, []),
    "goals": ({"type": "goals", "goals": [GOAL]}, ["Posts: 3 of 4,000, not met"]),
    "conversion": (
        {"type": "conversion", "conversions": [SALE], "rates": [{"quantity": 9}]},
        [
            "5 May 2026, 09:00: 2 conversions worth $19.99",
            "And 7 further conversions: the signed statement has all",
        ],
    ),
    "adjustment": (
        {
            "type": "adjustment",
            "changes": [{"what": "post", "text": "post two no longer counts", "video_id": "two"}],
            "owed": {"evidence": {"type": "goals", "goals": [GOAL]}},
        },
        ["\u201cSummer\u201d no longer counts", "Now: Posts: 3 of 4,000, not met"],
    ),
    "an adjustment of what is gone": ({"type": "adjustment", "changes": [], "owed": None}, []),
}


@pytest.mark.parametrize("case", CASES)
def test_each_thing_that_counts_has_its_line(case: str) -> None:
    evidence, lines = CASES[case]
    assert in_words(evidence, TITLES, ZONE) == lines
    assert in_words(evidence, TITLES, ZONE, has_fall=True) == [*lines, FALLS]


def test_a_post_shows_since_when_its_views_have_another_meaning() -> None:
    baseline = {"captured_at": "2026-05-04T08:30:00.000000Z", "meaning": "organic"}
    evidence = {"type": "view_threshold", "video_id": "one", "views_read": 10_020}
    assert baseline_of({**evidence, "view_baselines": [baseline]}, ZONE) == (
        "Since 4 May 2026, 10:30 the platform shows only organic views;"
        " counting continues from there"
    )


ORGANIC, ALL = "instagram.login_media", "instagram.timeline"


@pytest.mark.parametrize(
    ("source", "since"),
    [(ALL, 3), (f"{ORGANIC},{ALL}", 3), (ORGANIC, 4)],
)
def test_a_meaning_that_the_counted_reading_lacks_is_not_mentioned(source: str, since: int) -> None:
    """A reading of organic views alone lies between two readings that include paid views."""
    baselines = [
        {"captured_at": f"2026-05-0{day}T08:30:00.000000Z", "meaning": meaning}
        for day, meaning in ((2, "organic"), (3, "organic_and_paid"), (4, "organic"))
    ]
    reading = {"captured_at": "2026-05-05T08:30:00.000000Z", "source": source, "is_exact": True}
    evidence = {"type": "view_threshold", "video_id": "one", "views_read": 10_020}
    read = {**evidence, "reading": reading}
    since_text = f"Since {since} May 2026, 10:30 the platform shows"
    assert baseline_of({**read, "view_baselines": baselines}, ZONE).startswith(since_text)
    others = [
        baseline for baseline in baselines if f"-0{since}T" not in str(baseline["captured_at"])
    ]
    is_told = source == ORGANIC  # by the reading of the 2nd
    assert bool(baseline_of({**read, "view_baselines": others}, ZONE)) == is_told


@pytest.mark.parametrize("listed", ["views_as_of", "held"])
def test_a_long_list_of_posts_ends_with_the_number_of_further_ones(listed: str) -> None:
    evidence = {**CPM, "views_as_of": [], "held": [], listed: CPM[listed][:1] * 300}
    lines = in_words(evidence, TITLES, ZONE)
    assert len(lines) == 4 + MOST + 1
    assert lines[-1] == "And 200 further posts: the signed statement has all"


def test_a_long_list_of_changes_or_goals_ends_with_the_number_of_further_ones() -> None:
    change = CASES["adjustment"][0]["changes"][0]
    adjustment = {"type": "adjustment", "changes": [change] * 300, "owed": None}
    goals = {"type": "goals", "goals": [GOAL] * 300}
    assert [in_words(evidence, TITLES, ZONE)[MOST:] for evidence in (adjustment, goals)] == [
        ["And 200 further changes: the signed statement has all"],
        ["And 200 further goals: the signed statement has all"],
    ]


def test_the_posts_to_be_called_by_their_titles() -> None:
    assert posts_in(CPM) == {"one", "two", "three"}
    assert posts_in(CASES["view_threshold"][0]) == {"one"}
    assert posts_in(CASES["adjustment"][0]) == {"two"}
