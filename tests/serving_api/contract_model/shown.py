"""What the API must show of the model: in its lists, of single things, and to others."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tests.serving_api.contract_model.organization import Organization
from tests.serving_api.contract_model.stage import Stage, Thing
from tests.serving_api.contract_model.things import Account, Creator, Deactivation, Video

Row = Mapping[str, Any]
ACCOUNT_STATUSES: Mapping[str, Callable[[Account], bool]] = {
    "active": lambda account: account.deactivation is None,
    "deactivated": lambda account: account.deactivation is not None,
    "all": lambda account: True,
}
"""The filter `status` of the list of accounts."""


def compare_lists(stage: Stage, turn: int) -> None:
    """Hold creators, accounts, videos and inbox, each newest first; statuses take turns."""
    model, inside = stage.model, {"project_id": stage.project, "limit": 100}
    creators = stage.client.data("GET", "/creators", params=inside)
    _hold(creators, [of_creator(model, creator) for creator in model.creators if creator.is_active])
    status = list(ACCOUNT_STATUSES)[turn % len(ACCOUNT_STATUSES)]
    accounts = stage.client.data("GET", "/accounts", params={**inside, "status": status})
    listed = filter(ACCOUNT_STATUSES[status], model.accounts)
    _hold(accounts, [of_account(account) for account in listed if account.is_active])
    videos = stage.client.data("GET", "/videos", params=inside)
    ordered = sorted(model.videos, key=lambda video: (video.created_at, video.id))
    _hold(videos, [of_video(video) for video in ordered if video.status != "excluded"])
    inbox = stage.client.data("GET", f"/projects/{stage.project}/inbox")
    _hold(inbox, [of_video(video) for video in ordered if video.is_in_inbox])


def compare_things(stage: Stage, things: Sequence[Thing]) -> None:
    """Hold what single things show, removed and excluded ones too. Others do not see the first."""
    for thing in things[:1]:
        stage.other.refusal("GET", path_of(thing), "not_found")
    for thing in things:
        answer = stage.client.data("GET", path_of(thing))
        if isinstance(thing, Video):
            expected = of_single_video(thing)
        elif isinstance(thing, Account):
            expected = of_single_account(stage.model, thing)
        else:
            expected = of_creator(stage.model, thing)
        _hold([answer], [expected])


def hold_limits(stage: Stage) -> None:
    """Hold that the plan has room for what is there."""
    model = stage.model
    assert sum(account.is_counted for account in model.accounts) <= model.max_accounts
    assert sum(video.is_tracked for video in model.videos) <= model.max_tracked_videos


def path_of(thing: Thing) -> str:
    room = {Creator: "creators", Account: "accounts", Video: "videos"}[type(thing)]
    return f"/{room}/{thing.id}"


def of_creator(model: Organization, creator: Creator) -> Row:
    return {
        "id": creator.id,
        "display_name": creator.display_name,
        "is_active": creator.is_active,
        "handle": model.handle_of(creator),
        "tracked_post_count": model.tracked_post_count(creator),
        "pending_review_count": model.pending_review_count(creator),
    }


def of_account(account: Account) -> Row:
    tracking = account.tracking
    return {
        "id": account.id,
        "creator_id": account.creator.id,
        "platform": account.platform,
        "handle": account.handle,
        "is_active": account.is_active,
        "tracking_mode": tracking.mode,
        "tracking_hashtags": [tracking.hashtag] if tracking.hashtag else [],
        "hashtag_inbox_non_matching": tracking.inbox_non_matching,
        "tracking_start_date": tracking.start and str(tracking.start),
        "tracking_end_date": tracking.end and str(tracking.end),
        "deactivation": account.deactivation and _deactivation(account.deactivation),
    }


def of_single_account(model: Organization, account: Account) -> Row:
    """With how many videos stand still, while it is deactivated."""
    row = dict(of_account(account))
    if row["deactivation"] is not None:
        still = [video.still for video in model.videos if video.account is account]
        counts = {"frozen": still.count("freeze"), "stopped": still.count("stop_tracking")}
        row["deactivation"] |= {"video_counts": counts}
    return row


def of_video(video: Video) -> Row:
    return {
        "id": video.id,
        "platform": video.post.platform,
        "platform_video_id": video.post.platform_video_id,
        "account_id": video.account and video.account.id,
        "creator_id": video.account and video.account.creator.id,
        "tracking_status": video.status,
    }


def of_single_video(video: Video) -> Row:
    return {
        **of_video(video),
        "tracking_disabled": video.reason is not None,
        "tracking_disabled_reason": video.reason,
        "tracking_exempted": video.is_exempt,
        "plan_limit_paused_at": video.is_paused,
    }


def _deactivation(deactivation: Deactivation) -> dict[str, Any]:
    return {
        "video_choice": deactivation.choice,
        "reason": deactivation.reason,
        "via_creator": deactivation.via_creator,
    }


def _hold(rows: list[dict[str, Any]], expected: list[Row]) -> None:
    """Hold that rows, newest first, are the wanted ones, in the fields that are wanted."""
    for row in rows:
        if "plan_limit_paused_at" in row:
            row["plan_limit_paused_at"] = row["plan_limit_paused_at"] is not None
        if row.get("deactivation"):
            row["deactivation"] = {
                name: value
                for name, value in row["deactivation"].items()
                if name not in ("deactivated_at", "deactivated_by")
            }
    fields = expected[0].keys() if expected else ()
    assert [{name: row[name] for name in fields} for row in rows] == expected[::-1]
