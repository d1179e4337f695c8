"""The plan's limits: accounts are refused, the oldest tracked videos are paused."""

from collections.abc import Collection

from tests.serving_api.contract_model.organization import Organization
from tests.serving_api.contract_model.things import Video, refuse


def has_room(organization: Organization, accounts: int) -> bool:
    """Whether so many accounts more fit the plan."""
    counted = sum(account.is_counted for account in organization.accounts)
    return counted + accounts <= organization.max_accounts


def make_room(organization: Organization, newcomers: Collection[Video]) -> int:
    """Pause the oldest others for videos that a call is about; return how many."""
    if not any(newcomer.is_tracked for newcomer in newcomers):
        return 0
    return _pause(organization, [video for video in organization.videos if video not in newcomers])


def hold_limit(organization: Organization) -> int:
    """Pause the oldest of all, where videos come along with an account or are discovered."""
    return _pause(organization, organization.videos)


def _pause(organization: Organization, among: Collection[Video]) -> int:
    over = sum(video.is_tracked for video in organization.videos) - organization.max_tracked_videos
    if over <= 0:
        return 0
    pausable = sorted(
        (video for video in among if video.is_tracked and not video.is_exempt),
        key=lambda video: video.age,
    )
    refuse(limit_reached=len(pausable) < over)
    for video in pausable[:over]:
        video.is_paused = True
    return over
