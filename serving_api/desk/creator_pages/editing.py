"""`/desk/projects/{project_id}/creators/{creator_id}/edit`: name, tracking, removal and back."""

import json
from collections.abc import Mapping
from functools import partial
from uuid import UUID

from fastapi import Request, Response

from serving_api.desk.choices import creator_in, name_of
from serving_api.desk.creator_pages.adding import MODES, Writer
from serving_api.desk.creator_pages.routes import CREATORS
from serving_api.desk.done import redirect
from serving_api.desk.entered import Entered, merged, show_again
from serving_api.desk.entry import OwnFields, desk_router
from serving_api.desk.forms import body_of, chosen_in, day_in, text_of
from serving_api.desk.once import Reader
from serving_api.desk.project_pages import project_page
from serving_api.desk.routes import views
from serving_api.errors import InvalidBody, NotFound
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.kit.rows import require_own
from serving_api.resources.tracking.accounts import service as accounts
from serving_api.resources.tracking.accounts.schemas import Account, AccountChanges
from serving_api.resources.tracking.creators import service as creators
from serving_api.resources.tracking.creators.schemas import Creator, CreatorChanges
from serving_api.resources.tracking.deactivations import service as deactivations
from serving_api.resources.tracking.deactivations.schemas import Reactivate
from warehouse.operational import models
from warehouse.platforms import PLATFORM_NAMES

EDIT = f"{CREATORS}/{{creator_id}}/edit"
NAME = "display_name"
MODE, TAGS = "tracking_mode", "tracking_hashtags"
DAYS = ("tracking_start_date", "tracking_end_date")
CREATOR = "creator"
"""The value of a button that reactivates the creator; other values are account ids."""
MISSED: Mapping[str, str] = {
    "track": "Track as set above",
    "inbox": "Review in the inbox",
    "ignore": "Reject",
}
EXISTING: Mapping[str, str] = {
    "resume": "Track again",
    "keep": "Leave as they are",
    "stop": "Stop tracking and no longer count",
}
"""Choices about posts published meanwhile, and about frozen and stopped ones."""

router = desk_router()


@router.get(EDIT, dependencies=[views])
def show_edit(request: Request, context: Reader, project_id: UUID, creator_id: UUID) -> Response:
    creator = creator_in(context, project_id, creator_id)
    return _page(request, context, creator, Entered(_filled(creator), {}))


@router.post(EDIT, dependencies=[views])
def edit_creator(
    request: Request, context: Writer, project_id: UUID, creator_id: UUID, fields: OwnFields
) -> Response:
    """Rename a creator, change how its accounts are tracked, remove or reactivate it."""
    creator = creator_in(context, project_id, creator_id)
    filled = _filled(creator)
    entered = merged(fields, filled)
    values = {**filled, **fields}
    show_again(request, values, list(filled), partial(_page, request, context, creator))
    if "remove" in fields:
        creators.change(context, creator_id, body_of(CreatorChanges, is_active=False))
        return redirect(CREATORS.format(project_id=project_id), "Creator removed.")
    back = f"{CREATORS.format(project_id=project_id)}/{creator_id}"
    if "reactivate" in fields:
        _reactivate(context, creator, fields)
        return redirect(back, "Creator active again.")
    if entered[NAME] != filled[NAME]:
        changes = body_of(CreatorChanges, display_name=text_of(entered[NAME]))
        creators.change(context, creator_id, changes)
    for account in creator.accounts:
        names = [name for name in filled if name.endswith(f".{account.id}")]
        if any(entered[name] != filled[name] for name in names):
            _change(context, account, entered)
    return redirect(back, "Creator saved.")


def _reactivate(context: WriteContext, creator: Creator, fields: Mapping[str, str]) -> None:
    """Reactivate the creator, or its account of the pressed button. Raises NotFound."""
    context.caller.require_org_admin()
    choices = {name: fields.get(name) for name in ("missed_posts", "existing_videos")}
    body = body_of(Reactivate, **choices)
    if fields["reactivate"] == CREATOR:
        deactivations.wake_creator(context, creator.id, body)
    else:
        _, [account_id, *_] = chosen_in(fields, ("reactivate",))
        if account_id not in {account.id for account in creator.accounts}:
            raise NotFound.named("Account")
        deactivations.wake_account(context, account_id, body)


def _reactivated(context: RequestContext, creator: Creator) -> dict[str, str]:
    """Return what can be reactivated, by button value: the creator, or single accounts."""
    row = require_own(context, models.Creator, creator.id, "Creator")
    if row.deactivated_at:
        return {CREATOR: "creator"}
    return {
        str(account.id): f"{PLATFORM_NAMES[account.platform]} @{account.handle}"
        for account in creator.accounts
        if account.deactivated_at
    }


def _change(context: WriteContext, account: Account, fields: Mapping[str, str]) -> None:
    """Change how an account is tracked. Raises InvalidBody at the form's fields."""
    tags = text_of(fields.get(f"{TAGS}.{account.id}", ""))
    days = {name: day_in(fields, f"{name}.{account.id}") for name in DAYS}
    try:
        changes = body_of(
            AccountChanges,
            tracking_mode=fields.get(f"{MODE}.{account.id}"),
            tracking_hashtags=[tags] if tags else [],
            **days,
        )
        links = context.services.short_links()  # handles do not change here
        accounts.change_account(context, links, account_id=account.id, changes=changes)
    except InvalidBody as error:
        [issue, *_] = error.issues
        path = issue["path"].partition(".")[0]
        raise InvalidBody.at(f"{path}.{account.id}", issue["message"]) from error


def _filled(creator: Creator) -> dict[str, str]:
    filled = {NAME: creator.display_name or ""}
    for account in creator.accounts:
        filled |= {
            f"{MODE}.{account.id}": account.tracking_mode,
            f"{TAGS}.{account.id}": " ".join(account.tracking_hashtags),
            **{f"{name}.{account.id}": str(getattr(account, name) or "") for name in DAYS},
        }
    return filled


def _page(
    request: Request, context: RequestContext, creator: Creator, entered: Entered
) -> Response:
    return project_page(
        request,
        "desk_creator_edit.html",
        "Creators",
        creator=creator,
        name=name_of(creator),
        entered=entered,
        seen=json.dumps(_filled(creator)),
        modes=MODES,
        reactivated=_reactivated(context, creator),
        missed=MISSED,
        existing=EXISTING,
        platforms=PLATFORM_NAMES,
        is_admin=context.caller.is_org_admin,
    )
