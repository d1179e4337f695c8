"""What a new account takes over: the videos of a removed one of its handle, and posts of nobody."""

from serving_api.resources.tracking.accounts import owned_videos
from serving_api.resources.tracking.deactivations import videos
from serving_api.resources.tracking.videos.tracking import hold_limit
from warehouse.operational.base import business_now
from warehouse.operational.dated import Owned, date_owners
from warehouse.operational.models import Account
from warehouse.operational.session import WriteSession


def take_over_videos(session: WriteSession, account: Account) -> None:
    """Give an account the videos of the project that are its handle's, as far as nobody has them.

    Frozen and stopped ones are tracked again, as far as an account that is deactivated with its
    creator does not hold them as was chosen for the creator's. At the plan's limit the oldest are
    paused. Raises LimitReached where exempt ones alone are too many.
    """
    taken = owned_videos.videos_to_take_over(session, account)
    if not taken:
        return
    organization_id, ids = account.organization_id, [account.id]
    owned = [Owned(one.id, organization_id, account.id, account.creator_id) for one in taken]
    date_owners(session, owned, business_now(session))
    videos.set_column(session, organization_id, "account_id", taken, account.id)
    videos.set_column(session, organization_id, "creator_id", taken, account.creator_id)
    videos.resume(session, organization_id, ids)
    if account.deactivation_video_choice is not None:
        videos.hold(session, organization_id, ids, account.deactivation_video_choice)
    hold_limit(session, organization_id, ids)
