"""Races of what amounts depend on: conversions, videos, accounts, limits, zones, members."""

from typing import Any

from sqlalchemy import func, select

from tests.factories.payouts import conversion_rule
from tests.factories.tracking import add_video, change
from tests.serving_api.races.harness import Action, Race, Stage
from warehouse.operational.models import (
    Member,
    Organization,
    OrganizationConversionPayouts,
    OrganizationZone,
    User,
    VideoStatus,
)

CONVERSIONS = "/projects/{project_id}/conversions"
CONVERSION = CONVERSIONS + "/{conversion_id}"
EVENTS = "/projects/{project_id}/conversion-events"
EVENT = EVENTS + "/{event_id}"
INBOX = "PATCH /projects/{project_id}/inbox"
VIDEO = "/videos/{video_id}"
ORGANIZATION = "PATCH /organizations/{organization_id}"
PLATFORM = "PATCH /admin/organizations/{organization_id}"
MEMBER = "/organizations/{organization_id}/members/{user_id}"
ACCOUNTS = "POST /creators/{creator_id}/accounts"

STRUCTURES = "/payout-structures"
OF_SALES = {"project_id": "{project_id}", "name": "Sales", **conversion_rule({"id": "{event_id}"})}
SOLD = {"conversion_event_id": "{event_id}", "creator_id": "{creator_id}"}
ORDER = {**SOLD, "external_id": "order-7"}
BACK = {"missed_posts": "inbox"}
AS_NAMED = {"account_id": "account_id"}
POST = {"url": "https://www.tiktok.com/@somebody/video/7682837474828885294"}
FREE = 10
"""The account limit of the free plan."""


def event(stage: Stage) -> None:
    stage.given["event_id"] = stage.tenant.conversion_event()["id"]


def conversion(stage: Stage) -> None:
    event(stage)
    stage.given["conversion_id"] = stage.has("POST", CONVERSIONS, status=201, **SOLD)["id"]


def in_inbox(stage: Stage) -> None:
    video = add_video(
        stage.tenant.api.store, stage.tenant.made, "1", tracking_status="pending_review"
    )
    stage.given["video_id"] = str(video)


def second_admin(stage: Stage) -> None:
    stage.given["second_id"] = str(stage.tenant.add_member("admin"))
    stage.given["user_id"] = str(stage.tenant.made.user_id)


def platform_admin(stage: Stage) -> None:
    change(stage.tenant.api.store, User, stage.tenant.made.user_id, is_platform_admin=True)


def one_account_left(stage: Stage) -> None:
    """On the free plan, one active account below its limit, with a deactivated one."""
    stage.tenant.creator("resting")
    [account] = stage.data("/accounts")
    stage.given |= {"account_id": account["id"], "creator_id": account["creator_id"]}
    stage.has("POST", "/accounts/{account_id}/deactivate", videos="freeze")
    for number in range(FREE - 1):
        stage.tenant.creator(f"active{number}")
    change(stage.tenant.api.store, Organization, stage.tenant.organization_id, plan="free")


def conversions(stage: Stage) -> Any:
    """The number of conversions that count."""
    return len(stage.data(CONVERSIONS))


def reason(stage: Stage) -> Any:
    return stage.data(CONVERSION)["voided_reason"]


def status(stage: Stage) -> Any:
    """The video's status, as in the last row of its history."""
    now = stage.data(VIDEO)["tracking_status"]
    assert now == _latest(stage, VideoStatus, VideoStatus.tracking_status)
    return now


def zone(stage: Stage) -> Any:
    """The organization's zone, as in the last row of its history."""
    now = stage.data("/organizations/{organization_id}")["analytics_tz"]
    assert now == _latest(stage, OrganizationZone, OrganizationZone.analytics_tz)
    return now


def pays_conversions(stage: Stage) -> Any:
    """Whether conversions pay, as in the last row of the history; true without any."""
    with stage.tenant.api.store.read_session() as session:
        now = session.get_one(Organization, stage.tenant.organization_id).conversion_payouts_enabled
    assert now == _latest(
        stage, OrganizationConversionPayouts, OrganizationConversionPayouts.is_enabled
    )
    return now


def accounts(stage: Stage) -> Any:
    return sum(
        account["deactivated_at"] is None for account in stage.data("/accounts", limit="100")
    )


def videos(stage: Stage) -> Any:
    return len(stage.data("/videos"))


def admins(stage: Stage) -> Any:
    """The number of admins, from the database: the caller may no longer be one."""
    mine = (
        select(func.count())
        .select_from(Member)
        .filter_by(organization_id=stage.tenant.organization_id, role="admin")
    )
    with stage.tenant.api.store.read_session() as session:
        return session.scalars(mine).one()


def structures(stage: Stage) -> int:
    return len(stage.data(STRUCTURES))


def _latest(stage: Stage, model: Any, column: Any) -> Any:
    mine = select(column).filter_by(organization_id=stage.tenant.organization_id)
    with stage.tenant.api.store.read_session() as session:
        return session.scalars(mine.order_by(model.valid_from.desc()).limit(1)).one()


def recording(body: dict[str, str], late: str | None = None) -> Action:
    return Action(f"POST {CONVERSIONS}", body, late)


def voiding(why: str, late: str | None = None) -> Action:
    return Action(f"DELETE {CONVERSION}", {"reason": why}, late)


def reviewing(action: str) -> Action:
    return Action(INBOX, {"video_ids": ["{video_id}"], "action": action})


OF_CONVERSIONS = [
    Race(
        "an order is recorded twice", recording(ORDER), recording(ORDER), event, conversions, (1, 1)
    ),
    Race(
        "a conversion is recorded, and its event put out of use",
        recording(SOLD, "conversion_event_inactive"),
        Action(f"PATCH {EVENT}", {"is_active": False}),
        event,
        conversions,
        (1, 0),
    ),
    Race(
        "a conversion is recorded, and its event removed",
        recording(SOLD, "conversion_event_inactive"),
        Action(f"DELETE {EVENT}"),
        event,
        conversions,
        (1, 0),
    ),
    Race(
        "a structure is made for an event, and the event deleted",
        Action(f"POST {STRUCTURES}", OF_SALES, "invalid_body"),
        Action(f"DELETE {EVENT}", late="conflict", query={"mode": "hard"}),
        event,
        structures,
        (1, 0),
    ),
    Race(
        "a conversion is voided for two reasons",
        voiding("fraud"),
        voiding("returned"),
        conversion,
        reason,
        ("fraud", "returned"),
    ),
    Race(
        "a conversion is voided, and deleted",
        voiding("fraud", "not_found"),
        Action(f"DELETE {CONVERSION}", query={"mode": "hard"}),
        conversion,
        conversions,
        (0, 0),
    ),
    Race(
        "a key of events is taken twice",
        Action(f"POST {EVENTS}", {"key": "sale", "name": "One"}, "conversion_event_exists"),
        Action(f"POST {EVENTS}", {"key": "sale", "name": "Other"}, "conversion_event_exists"),
    ),
]

OF_VIDEOS = [
    Race(
        "a post is added twice",
        Action("POST /projects/{project_id}/videos", POST),
        Action("POST /projects/{project_id}/videos", POST),
        left=videos,
        ends=(1, 1),
    ),
    Race(
        "a post is approved, and excluded",
        reviewing("approve"),
        reviewing("exclude"),
        in_inbox,
        status,
        ("included", "excluded"),
    ),
    Race(
        "a post is approved, and its video excluded",
        reviewing("approve"),
        Action(f"DELETE {VIDEO}"),
        in_inbox,
        status,
        ("excluded", "excluded"),
    ),
    Race(
        "a video is counted, and excluded",
        Action(f"PATCH {VIDEO}", {"tracking_status": "included"}),
        Action(f"PATCH {VIDEO}", {"tracking_status": "excluded"}),
        in_inbox,
        status,
        ("excluded", "included"),
    ),
]

OF_ACCOUNTS = [
    Race(
        "an account comes back, and another one is added, with room for one",
        Action("POST /accounts/{account_id}/reactivate", BACK, "limit_reached", about=AS_NAMED),
        Action(ACCOUNTS, {"platform": "instagram", "handle": "new"}, "limit_reached"),
        one_account_left,
        accounts,
        (FREE, FREE),
    ),
    Race(
        "an account comes back, and a creator is added, with room for one",
        Action("POST /accounts/{account_id}/reactivate", BACK, "limit_reached", about=AS_NAMED),
        Action(
            "POST /creators",
            {"project_id": "{project_id}", "accounts": [{"platform": "tiktok", "handle": "new"}]},
            "limit_reached",
        ),
        one_account_left,
        accounts,
        (FREE, FREE),
    ),
    Race(
        "an account is removed twice",
        Action("DELETE /accounts/{account_id}", late="not_found"),
        Action("DELETE /accounts/{account_id}", late="not_found"),
        left=accounts,
        ends=(0, 0),
    ),
    Race(
        "an account is added, and its creator removed",
        Action(ACCOUNTS, {"platform": "instagram", "handle": "new"}, "creator_inactive"),
        Action("DELETE /creators/{creator_id}"),
        left=accounts,
        ends=(0, 0),
    ),
]

OF_ORGANIZATIONS = [
    Race(
        "the zone is changed twice",
        Action(ORGANIZATION, {"analytics_tz": "Africa/Lagos"}),
        Action(ORGANIZATION, {"analytics_tz": "Asia/Tokyo"}),
        left=zone,
        ends=("Asia/Tokyo", "Africa/Lagos"),
    ),
    Race(
        "conversions stop to pay, and go on",
        Action(PLATFORM, {"conversion_payouts_enabled": False}),
        Action(PLATFORM, {"conversion_payouts_enabled": True}),
        platform_admin,
        pays_conversions,
        (True, False),
    ),
    Race(
        "the last two admins are removed",
        Action(f"DELETE {MEMBER}", late="last_admin"),
        # The admin who was removed or demoted first cannot remove the other.
        Action(f"DELETE {MEMBER}", late="insufficient_role", about={"user_id": "second_id"}),
        second_admin,
        admins,
        (1, 1),
    ),
    Race(
        "of the last two admins one steps down, and one is removed",
        Action(f"PATCH {MEMBER}", {"role": "member"}, "last_admin"),
        # The admin who was removed or demoted first cannot remove the other.
        Action(f"DELETE {MEMBER}", late="insufficient_role", about={"user_id": "second_id"}),
        second_admin,
        admins,
        (1, 1),
    ),
]

RACES = [*OF_CONVERSIONS, *OF_VIDEOS, *OF_ACCOUNTS, *OF_ORGANIZATIONS]
