"""`/desk/projects/{project_id}/payouts/creators/{creator_id}/account`: payout details."""

import json
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import islice
from typing import Any, Literal
from urllib.parse import urlencode
from uuid import UUID

from fastapi import Request, Response
from pydantic import JsonValue

from serving_api.desk.choices import creator_in, name_of
from serving_api.desk.done import redirect
from serving_api.desk.entered import EXPECTED, Entered, show_again
from serving_api.desk.entry import OwnFields, desk_router
from serving_api.desk.forms import body_of, text_of
from serving_api.desk.once import AdminReader, AdminWriter
from serving_api.desk.payouts.iban import iban_mistake, is_named_iban
from serving_api.desk.payouts.listing import RunView
from serving_api.desk.payouts.paying import PAY, RUN
from serving_api.desk.payouts.routes import payouts_page
from serving_api.desk.routes import views
from serving_api.errors import InvalidBody, VersionConflict
from serving_api.kit.request_context import RequestContext
from serving_api.kit.rows import lock_own, version_of
from serving_api.kit.schemas import Params
from serving_api.resources.payouts import accounts
from serving_api.resources.payouts.accounts import PayoutAccountSettings
from serving_api.resources.payouts.methods import service as methods
from serving_api.resources.payouts.methods.schemas import PayoutMethodQuery
from serving_api.resources.tracking.creators.schemas import Creator
from warehouse.operational import models

ACCOUNT = f"{PAY}/account"
METHOD, DETAILS = "payout_method_id", "details"
LEAST_ROWS, MOST_ROWS = 4, 50

Details = Mapping[str, JsonValue]

router = desk_router()


class Opened(RunView):
    """The page that links the form: a payment run with its filters, or one payment."""

    opened_from: Literal["run", "payment"] | None = None

    def page_above(self, project_id: UUID, creator: Creator) -> tuple[str, str]:
        """Return the label and the address of the page to go back to."""
        at = {"project_id": project_id, "creator_id": creator.id}
        if self.opened_from == "run":
            filters = {name: each for name, each in self.filters.items() if name != "opened_from"}
            return "Payment run", f"{RUN.format(**at)}?{urlencode(filters)}".rstrip("?")
        if self.opened_from == "payment":
            return f"Pay {name_of(creator)}", PAY.format(**at)
        return name_of(creator), f"/desk/projects/{project_id}/creators/{creator.id}"


@router.get(ACCOUNT, dependencies=[views])
def show_payout_account(
    request: Request,
    context: AdminReader,
    project_id: UUID,
    creator_id: UUID,
    opened: Params[Opened],
) -> Response:
    """Show a creator's payout method and details."""
    values = _page_values(context, project_id, creator_id, opened)
    filled = _entered_of(values["account"]) if values["account"] else {}
    return _page(request, context, values, Entered(filled, {}))


@router.post(ACCOUNT, dependencies=[views])
def set_payout_account(
    *,
    request: Request,
    context: AdminWriter,
    project_id: UUID,
    creator_id: UUID,
    opened: Params[Opened],
    fields: OwnFields,
) -> Response:
    """Replace or delete a creator's payout account if it is the one that the page showed."""
    lock_own(context, models.Creator, creator_id, "Creator")
    values = _page_values(context, project_id, creator_id, opened)
    names = (METHOD, *_names(), DETAILS)
    show = partial(_page, request, context, values)
    show_again(request, fields, names, show, lambda: list(_stored(values)))
    _require_version(fields, values["account"])
    if "forget" in fields:
        accounts.forget(context, creator_id)
    else:
        stored_details = (values["account"] and values["account"].details) or {}
        body = {METHOD: fields.get(METHOD), DETAILS: _details_in(fields, stored_details)}
        accounts.set_account(context, creator_id, body_of(PayoutAccountSettings, **body))
    done = "deleted" if "forget" in fields else "saved"
    back = values["above"][1] if opened.opened_from else request.url.path
    again = " The run selects its creators again." if opened.opened_from == "run" else ""
    return redirect(back, f"Payout details of {values['name']} {done}.{again}")


def _version(account: accounts.PayoutAccount | None) -> str:
    if account is None:
        return version_of({})
    return version_of({METHOD: str(account.payout_method_id), DETAILS: account.details})


def _require_version(fields: Mapping[str, str], account: accounts.PayoutAccount | None) -> None:
    """Raise VersionConflict if the account changed since the form was filled in."""
    current = _version(account)
    if (expected := fields.get(EXPECTED, current)) != current:
        raise VersionConflict(expected, current, {})


def _stored(values: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is stored, for a form that does not show it."""
    account: accounts.PayoutAccount | None = values["account"]
    if account is None:
        yield "The payout details were deleted"
        return
    method = values["methods"].get(str(account.payout_method_id), "one that is disabled")
    yield f"Method: now {method}"
    for name, value in (account.details or {}).items():
        yield f"{name}: now {_written(value)}"


def _details_in(fields: Mapping[str, str], stored_details: Details) -> dict[str, JsonValue]:
    """Return the filled-in rows. Raises InvalidBody, also for a mistyped IBAN.

    Values that are not text stay unchanged unless edited; those beyond the form's rows stay
    always.
    """
    details = dict(islice(stored_details.items(), MOST_ROWS, None))
    for row in range(MOST_ROWS):
        name, value = (text_of(fields.get(field, "")) for field in _row(row))
        if name is None and value is None:
            continue
        if name is None or name in details:
            message = "Enter a name" if name is None else "Use each name only once"
            raise InvalidBody.at(_row(row)[0], message)
        as_it_was = name in stored_details and text_of(_written(stored_details[name])) == value
        if value and not as_it_was and is_named_iban(name) and (wrong := iban_mistake(value)):
            raise InvalidBody.at(_row(row)[1], wrong)
        details[name] = stored_details[name] if as_it_was else value or ""
    return details


def _entered_of(account: accounts.PayoutAccount) -> dict[str, str]:
    filled = {METHOD: str(account.payout_method_id)}
    for row, (name, value) in enumerate(islice((account.details or {}).items(), MOST_ROWS)):
        filled |= dict(zip(_row(row), (name, _written(value)), strict=True))
    return filled


def _written(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def details_of(
    context: RequestContext, account: models.PayoutAccount | None, method_id: str
) -> str | None:
    """Return the details of an account of this method in one line, None for other methods."""
    if account is None or str(account.payout_method_id) != method_id:
        return None
    details = accounts.present(account, context.services.encryption).details or {}
    return "; ".join(f"{name}: {_written(value)}" for name, value in details.items())


def _row(row: int) -> tuple[str, str]:
    return f"{DETAILS}.{row}.name", f"{DETAILS}.{row}.value"


def _names() -> tuple[str, ...]:
    return tuple(name for row in range(MOST_ROWS) for name in _row(row))


def _page_values(
    context: RequestContext, project_id: UUID, creator_id: UUID, opened: Opened
) -> dict[str, Any]:
    """Return the page's values beside its form. Raises NotFound."""
    creator = creator_in(context, project_id, creator_id)
    ways = methods.list_methods(context, PayoutMethodQuery()).data
    return {
        "above": opened.page_above(project_id, creator),
        "name": name_of(creator),
        "account": accounts.read(context, creator_id),
        "methods": {"": "Choose", **{str(way.id): way.name for way in ways}},
    }


def _page(
    request: Request, context: RequestContext, values: dict[str, Any], entered: Entered
) -> Response:
    filled = [row for row in range(MOST_ROWS) if any(entered.get(field) for field in _row(row))]
    return payouts_page(
        request,
        context,
        "desk_payout_account.html",
        entered=entered,
        version=_version(values["account"]),
        rows=min(MOST_ROWS, max(LEAST_ROWS, filled[-1] + 3 if filled else 0)),
        **values,
    )
