"""How far back through an account's posts each rule reads, given what a page adds."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from scrapers.findings import (
    FarEnough,
    Findings,
    ListedPost,
    through_known_posts,
    to_a_page_of_known_posts,
)
from tests.orchestration.own_provider import COUNTED

START = datetime(2026, 5, 1, tzinfo=UTC)
KNOWN = frozenset({"90", "80", "10"})


def uploaded_at(post_id: str) -> datetime:
    return START + timedelta(hours=int(post_id) - 50)


def listed(word: str) -> ListedPost:
    """Return a post published at its upload; the prefix `p` pins it."""
    post_id = word.removeprefix("p")
    video = replace(COUNTED, platform_video_id=post_id, posted_at=uploaded_at(post_id))
    return ListedPost(video, is_pinned=word.startswith("p"))


@pytest.mark.parametrize(
    ("page", "by_page", "through"),
    [
        ("", False, False),
        ("99 98", False, False),
        ("99 90", False, False),
        ("90 80", True, False),
        ("90 99", False, False),
        ("p10 99", False, False),
        ("p99 90", True, False),
        ("p10", False, False),
        ("80 40", True, False),  # 40 and 10 are before the start; 10 is known
        ("40 9", True, True),
        ("99 40", False, False),
    ],
)
def test_each_rule_reads_as_far_as_documented(page: str, *, by_page: bool, through: bool) -> None:
    rules: dict[FarEnough, bool] = {
        to_a_page_of_known_posts: by_page,
        through_known_posts(uploaded_at): through,
    }
    for rule, expected in rules.items():
        findings = Findings(since=START, known=KNOWN)
        new = findings.add([listed(word) for word in page.split()])
        assert rule(findings, new) is expected, rule
