"""What a new account takes over: the videos of a removed one of its handle, and posts of nobody."""

from serving_api.resources.accounts import owned_videos
from serving_api.resources.deactivations import videos
from warehouse.operational.base import business_now
from warehouse.operational.dated import Owned, date_owners
from warehouse.operational.models import Account
from warehouse.operational.session import WriteSession
from warehouse.operational.tracked_videos import hold_limit


def take_over_videos(session: WriteSession, account: Account) -> None:
    """Give an account the videos of the project that are its handle's, as far as nobody has them.

    Frozen and stopped ones are tracked again, and may pause older videos at the plan's limit. If
    the account is deactivated with its creator, they are treated as the creator's.
    """
    taken = owned_videos.videos_to_take_over(session, account)
    if not taken:
        return
    organization_id, ids = account.organization_id, [account.id]
    owned = [Owned(one.id, organization_id, account.id, account.creator_id) for one in taken]
    date_owners(session, owned, business_now(session))
    videos.set_column(session, organization_id, "account_id", taken, account.id)
    videos.set_column(session, organization_id, "creator_id", taken, account.creator_id)
    if account.deactivation_video_choice is None:
        videos.resume(session, organization_id, ids)
        hold_limit(session, organization_id)
    else:
        videos.hold(session, organization_id, ids, account.deactivation_video_choice)
