"""Changes whether videos are tracked: their status, tracking on or off, and the plan's limit.

Callers lock the organization (`organizations.lock`) before the videos, because other videos may
have to be paused (`tracked_videos`).
"""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Literal
from uuid import UUID

from serving_api.errors import LimitReached
from serving_api.kit.request_context import WriteContext
from warehouse.operational.base import business_now
from warehouse.operational.dated import set_video_status
from warehouse.operational.models import Video
from warehouse.operational.session import WriteSession
from warehouse.operational.tracked_videos import COUNTED, NoRoomError
from warehouse.operational.tracked_videos import hold_limit as pause_beyond_limit
from warehouse.operational.tracked_videos import make_room as pause_oldest

Reason = Literal["manual", "account_frozen", "account_stopped"]
"""Why tracking is off: switched off by a person, or by the choice at the account's deactivation."""


def why_off(video: Video) -> Reason | None:
    """Return why tracking is off; None while it is on or paused at the plan's limit."""
    if video.tracking_disabled:
        return "manual"
    if video.stopped_at is not None:
        return "account_stopped"
    return "account_frozen" if video.frozen_at is not None else None


def set_status(session: WriteSession, videos: Sequence[Video], status: str) -> list[Video]:
    """Set the status of videos from now on; return those newly counted towards the plan's limit.

    Excluding also clears the reasons why tracking was off, so that a video included again is
    tracked.
    """
    is_counted = status in COUNTED
    newcomers = [v for v in videos if is_counted and v.tracking_status not in COUNTED]
    now = business_now(session)
    for video in videos:
        set_video_status(session, video, status, now)
        if status == "excluded":
            _switch_on(video)
    return newcomers


def disable(session: WriteSession, video: Video) -> None:
    """Stop scraping a video; its counts stay. No change if already disabled."""
    if not video.tracking_disabled:
        video.tracking_disabled = True
        video.tracking_disabled_at = business_now(session)


def enable(context: WriteContext, videos: Collection[Video], *, exempt: bool) -> int:
    """Track videos again, whatever the reason it was off; return how many others were paused.

    `exempt` also exempts them from the plan's limit. Raises LimitReached.
    """
    newcomers = [video for video in videos if why_off(video) or video.plan_limit_paused_at]
    for video in videos:
        _switch_on(video)
        video.tracking_exempted = video.tracking_exempted or exempt
    return make_room(context, newcomers)


def make_room(context: WriteContext, newcomers: Collection[Video]) -> int:
    """Pause the oldest other videos beyond the plan's limit; return how many.

    Raises LimitReached if too few others can be paused.
    """
    ids = [video.id for video in newcomers]
    with _limit_as_refusal():
        return pause_oldest(context.session, context.organization_id, ids) if ids else 0


def hold_limit(session: WriteSession, organization_id: UUID, account_ids: Collection[UUID]) -> None:
    """Pause the oldest videos beyond the plan's limit after accounts' videos were resumed.

    Raises LimitReached if exempt videos alone exceed it.
    """
    with _limit_as_refusal():
        pause_beyond_limit(session, organization_id, account_ids)


@contextmanager
def _limit_as_refusal() -> Iterator[None]:
    try:
        yield
    except NoRoomError as error:
        raise LimitReached(
            "max_tracked_videos_per_org", current=error.current, maximum=error.maximum
        ) from error


def _switch_on(video: Video) -> None:
    video.tracking_disabled = False
    video.tracking_disabled_at = video.plan_limit_paused_at = None
    video.frozen_at = video.stopped_at = None
