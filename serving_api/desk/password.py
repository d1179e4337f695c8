"""`/desk/password`: a user's own password."""

from functools import partial

from fastapi import Request, Response

from serving_api.desk import sessions
from serving_api.desk.entered import NOTHING, Entered, show_again
from serving_api.desk.entry import Myself, OwnFields, desk_router
from serving_api.desk.passkeys.routes import REFUSED
from serving_api.desk.project_pages import layout_of
from serving_api.desk.routes import arrive, audit_event_of, sign_ins, views
from serving_api.desk.sessions import PATH
from serving_api.errors import InvalidBody
from serving_api.kit.services import services_of
from serving_api.oauth.sign_in import Person, sign_in
from serving_api.pages import page
from serving_api.passwords import hash_password, problem_of
from serving_api.rate_limit.allowances import network_behind
from warehouse.clock import system_clock
from warehouse.operational.audit import recorded
from warehouse.operational.users import set_password, user_with

PASSWORD = f"{PATH}/password"

router = desk_router()


@router.get(PASSWORD, dependencies=[views])
def show_password(request: Request, _person: Myself, changed: str = "") -> Response:
    return _page(request, NOTHING, is_changed=bool(changed))


@router.post(PASSWORD, dependencies=[sign_ins])
def change_password(request: Request, person: Myself, fields: OwnFields) -> Response:
    """Change the password, which ends all other sessions, consents and passkeys.

    Wrong ones count as in sign-in.
    """
    show_again(request, fields, ("password", "new", "again"), partial(_page, request))
    store, now = services_of(request).store, system_clock()
    new = fields.get("new", "")
    if problem := problem_of(new):
        raise InvalidBody.at("new", problem)
    if fields.get("again") != new:
        raise InvalidBody.at("again", "Enter the new password twice")
    by = sign_in(store, person.email, fields.get("password", ""), network_behind(request), now)
    if not isinstance(by, Person):
        raise InvalidBody.at("password", REFUSED[by])
    new_hash = hash_password(new)
    changed = audit_event_of(request, person.id, "change_password")
    with store.write_session() as session, recorded(session, lambda: changed):
        user = user_with(session, person.email)
        if user is None or user.password_hash != by.password_hash:
            raise InvalidBody.at("password", REFUSED["wrong"])
        set_password(session, person.email, new_hash)
        sessions.end_all(session, person.id)
    signed_in = audit_event_of(request, person.id, "sign_in")
    return arrive(request, Person(person.id, new_hash), f"{PASSWORD}?changed=yes", signed_in)


def _page(request: Request, entered: Entered, *, is_changed: bool = False) -> Response:
    return page(
        "desk_password.html",
        status=entered.status,
        layout=layout_of(request),
        entered=entered,
        is_changed=is_changed,
    )
