"""What a new account takes over: the videos of a removed one of its handle, and posts of nobody."""

from serving_api.resources.accounts import repository
from serving_api.resources.deactivations import videos
from warehouse.operational.base import business_now
from warehouse.operational.dated import set_video_owner
from warehouse.operational.models import Account
from warehouse.operational.session import WriteSession
from warehouse.operational.tracked_videos import hold_limit


def take_over_videos(session: WriteSession, account: Account) -> None:
    """Give an account the videos of the project that are its handle's, as far as nobody has them.

    Frozen and stopped ones are tracked again, and may pause older videos at the plan's limit. If
    the account is deactivated with its creator, they are treated as the creator's.
    """
    taken = repository.videos_to_take_over(session, account)
    for video in taken:
        set_video_owner(session, video, account, business_now(session))
    if not taken:
        return
    ids = [account.id]
    if account.deactivation_video_choice is None:
        videos.resume(session, account.organization_id, ids)
        hold_limit(session, account.organization_id)
    else:
        videos.hold(session, account.organization_id, ids, account.deactivation_video_choice)
