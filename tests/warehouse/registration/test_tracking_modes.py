from datetime import UTC, date, datetime
from typing import Any

import pytest

from warehouse.registration.tracking_modes import Tracking, status_of_new_post

POSTED = datetime(2026, 5, 4, 12, tzinfo=UTC)


def tracking(**changes: Any) -> Tracking:
    values: dict[str, Any] = {
        "mode": "auto",
        "hashtags": (),
        "inbox_non_matching": True,
        "start_date": date(2026, 5, 1),
        "end_date": None,
        "zone": "UTC",
    }
    return Tracking(**{**values, **changes})


@pytest.mark.parametrize(
    ("mode", "caption", "inbox_non_matching", "status"),
    [
        ("auto", None, True, "auto_tracked"),
        ("selective", "#ad", True, "pending_review"),
        ("hashtag", "my #Ad", True, "auto_tracked"),
        ("hashtag", "my day", True, "pending_review"),
        ("hashtag", None, True, "pending_review"),
        ("hashtag", "my day", False, "excluded"),
    ],
)
def test_a_new_post_is_tracked_reviewed_or_excluded_as_its_account_says(
    mode: str, caption: str | None, inbox_non_matching: bool, status: str
) -> None:
    account = tracking(mode=mode, hashtags=("ad",), inbox_non_matching=inbox_non_matching)
    assert status_of_new_post(account, caption=caption, posted_at=POSTED) == status


@pytest.mark.parametrize("mode", ["auto", "selective", "hashtag"])
def test_a_post_outside_the_window_is_not_recorded_in_any_mode(mode: str) -> None:
    account = tracking(mode=mode, hashtags=("ad",), start_date=date(2026, 5, 5))
    assert status_of_new_post(account, caption="#ad", posted_at=POSTED) is None
