"""A post's time is exact, estimated or unknown; only known times can be estimates."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from scrapers import posting_times
from scrapers.posting_times import PostingTime

TOLD = datetime(2026, 5, 4, 12, tzinfo=UTC)
ID_OF_MAY = str(int(TOLD.timestamp()) << 32)
PK_OF_MAY = str((int(TOLD.timestamp() * 1000) - 1_314_220_021_721) << 23)
"""An id and a pk created at that time."""
BOTH = pytest.mark.parametrize(
    ("when", "number"),
    [(posting_times.on_tiktok, ID_OF_MAY), (posting_times.on_instagram, PK_OF_MAY)],
)


@BOTH
def test_the_platforms_time_is_no_estimate(
    when: Callable[[datetime | None, str], PostingTime], number: str
) -> None:
    assert when(datetime(2026, 5, 4, 13, tzinfo=UTC), number) == (
        datetime(2026, 5, 4, 13, tzinfo=UTC),
        False,
    )


@BOTH
def test_a_time_from_the_id_is_an_estimate(
    when: Callable[[datetime | None, str], PostingTime], number: str
) -> None:
    assert when(None, number) == (TOLD, True)


@pytest.mark.parametrize(
    ("when", "number"),
    [
        (posting_times.on_tiktok, "1"),
        (posting_times.on_tiktok, str(2**64 - 1)),
        (posting_times.on_instagram, str(10**20 - 1)),
    ],
)
def test_a_time_without_a_source_is_none(
    when: Callable[[datetime | None, str], PostingTime], number: str
) -> None:
    assert when(None, number) == (None, False)
