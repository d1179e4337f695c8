"""Whether videos are tracked: their statuses, tracking switched off and on, room in the plan.

What belongs here: changing it. Whoever calls these holds the organization (`organizations.lock`)
before the videos, because room may have to be made among others (`tracked_videos`).
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
"""Who switched tracking off: a person, or what was chosen when the account was deactivated."""


def why_off(video: Video) -> Reason | None:
    """Return why tracking is off; None while it is on or only paused for the plan's limit."""
    if video.tracking_disabled:
        return "manual"
    if video.stopped_at is not None:
        return "account_stopped"
    return "account_frozen" if video.frozen_at is not None else None


def set_status(session: WriteSession, videos: Sequence[Video], status: str) -> list[Video]:
    """Give videos a status from now on; return those that came to be counted, which need room.

    Excluding ends what tracking was off for, so that a video that is included again is tracked.
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
    """Stop scraping a video; what it gained stays. One that is disabled stays as it is."""
    if not video.tracking_disabled:
        video.tracking_disabled = True
        video.tracking_disabled_at = business_now(session)


def enable(context: WriteContext, videos: Collection[Video], *, exempt: bool) -> int:
    """Track videos again, whatever it was off for; return how many others were paused.

    With `exempt` the plan's limit never pauses them from now on. Raises LimitReached.
    """
    newcomers = [video for video in videos if why_off(video) or video.plan_limit_paused_at]
    for video in videos:
        _switch_on(video)
        video.tracking_exempted = video.tracking_exempted or exempt
    return make_room(context, newcomers)


def make_room(context: WriteContext, newcomers: Collection[Video]) -> int:
    """Pause the oldest others where newcomers are too many for the plan; return how many.

    Raises LimitReached where too few others can be paused.
    """
    ids = [video.id for video in newcomers]
    with _limit_as_refusal():
        return pause_oldest(context.session, context.organization_id, ids) if ids else 0


def hold_limit(session: WriteSession, organization_id: UUID, account_ids: Collection[UUID]) -> None:
    """Pause the oldest beyond the plan's limit, where videos come back with their accounts.

    Raises LimitReached where exempt ones alone are too many.
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
