"""Show a rejected form again with the entered values and an error beside each field.

Runs in the error handlers, after the request's writes are rolled back.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import urlencode
from uuid import UUID

from fastapi import Request, Response
from fastapi.responses import RedirectResponse
from pydantic import TypeAdapter
from sqlalchemy.orm import Session

from serving_api.desk.forms import SELECTED
from serving_api.error_messages import beside_no_field, located, of_field, sentence_of
from serving_api.errors import ApiError, InvalidRequest, NamesFields, VersionConflict


@dataclass(frozen=True, slots=True)
class Entered:
    """The state of a form: entered values, errors by field, and other errors.

    `sentence` describes what the next submit will save. `about` is the id of the creator that
    prevents it.
    """

    values: Mapping[str, str]
    wrong: Mapping[str, str]
    problems: tuple[str, ...] = ()
    status: int = 200
    sentence: str = ""
    about: str = ""

    def get(self, name: str, default: str = "") -> str:
        return self.values.get(name, default)


NOTHING = Entered({}, {})

EXPECTED, SEEN = "expected_version", "seen"
"""Hidden fields: the version and the values that the form was filled in with."""
_SEEN = TypeAdapter(dict[str, str])
SENTENCE = "sentence"
"""The name of the save button, whose value is the sentence that the form showed."""


class Unread(InvalidRequest):
    """The sentence that describes the change has not been confirmed: show it, save nothing."""

    def __init__(self, sentence: str) -> None:
        super().__init__("Check the preview, then save")
        self.sentence = sentence


def require_read(fields: Mapping[str, str], sentence: str) -> None:
    """Raise Unread unless the form was submitted with this sentence."""
    if fields.get(SENTENCE) != sentence:
        raise Unread(sentence)


TICKED = "ticked"
"""The query parameter with the ids of ticked boxes."""


def ticks_in(sent: str) -> dict[str, str]:
    """Return the fields of the boxes that are ticked in an address."""
    return {f"{SELECTED}.{item_id}": "yes" for item_id in sent.split(",") if item_id}


def with_ticks(request: Request, ids: Collection[UUID], **fields: str) -> Response:
    """Redirect to the page with its ticks in the address, to which Back returns."""
    query = {**request.query_params, **fields, TICKED: ",".join(map(str, ids))}
    return RedirectResponse(f"{request.url.path}?{urlencode(query)}", HTTPStatus.SEE_OTHER)


ShowForm = Callable[[Entered], Response]


def show_again(
    request: Request,
    fields: Mapping[str, str],
    names: Sequence[str] | Mapping[str, str],
    show: ShowForm,
    changed: Callable[[], Sequence[str]] = tuple,
    *,
    filled: Mapping[str, str] | None = None,
) -> None:
    """Show errors raised from here on in the form.

    `names` are form fields by body path; a mapping renames them. `changed` returns what other users
    changed since the form was filled in, which fields that were not edited then show: `filled`.
    """
    called = names if isinstance(names, Mapping) else {name: name for name in names}

    def error_page(error: ApiError) -> Response:
        with _ending_session(request):
            page = show(
                _outdated(error, _rebased(fields, called.values(), filled), changed())
                if isinstance(error, VersionConflict)
                else rejected(error, fields, called)
            )
        page.headers.update(error.headers)
        return page

    request.state.error_page = error_page


@contextmanager
def _ending_session(request: Request) -> Iterator[None]:
    """End the transaction that the page begins, because the session's dependency ended before.

    Otherwise it holds a connection of the pool until Python collects garbage.
    """
    try:
        yield
    finally:
        session: Session | None = getattr(request.state, "session", None)
        if session is not None:
            session.close()


def _outdated(error: ApiError, fields: Mapping[str, str], changed: Sequence[str]) -> Entered:
    """Return the entered values without their version, and what other users changed."""
    entered = {name: value for name, value in fields.items() if name not in {EXPECTED, SEEN}}
    return Entered(entered, {}, (OUTDATED, *changed), error.status)


def _rebased(
    fields: Mapping[str, str], names: Collection[str], filled: Mapping[str, str] | None
) -> Mapping[str, str]:
    """Return what the user edited of these fields, the others as `filled`; all without it."""
    seen = seen_in(fields, names)
    if filled is None or not seen:
        return fields
    others = {name for name in names if fields.get(name) == seen.get(name)}
    edited = {name: value for name, value in fields.items() if name not in others}
    return edited | {name: value for name, value in filled.items() if name in others}


OUTDATED = "This changed in the meantime. Review the changes and save again."


def seen_in(fields: Mapping[str, str], names: Collection[str]) -> Mapping[str, str]:
    """Return the values of these fields that the form was filled in with, or {}."""
    try:
        seen = _SEEN.validate_json(fields.get(SEEN, ""))
    except ValueError:
        return {}
    return {name: value for name, value in seen.items() if name in names}


def merged(fields: Mapping[str, str], filled: Mapping[str, str]) -> dict[str, str]:
    """Return the fields that the user changed; the others as `filled` now."""
    seen = seen_in(fields, filled)
    changed = {
        name: fields[name] for name in filled if name in fields and fields[name] != seen.get(name)
    }
    return {**filled, **changed}


def differences(
    before: Mapping[str, str],
    now: Mapping[str, str],
    labels: Mapping[str, str],
    choices: Mapping[str, Mapping[str, str]],
) -> list[str]:
    """Return a line for each field whose value changed.

    `labels` and `choices` map the last part of a path to labels of fields and values.
    """

    def line(name: str) -> str:
        row_path, _, last = name.rpartition(".")
        row_number = row_path.rpartition(".")[2]
        which = f", row {int(row_number) + 1}" if row_number.isdigit() else ""
        values = (of.get(name, "") for of in (before, now))
        old, new = (choices.get(last, {}).get(each, each) or "empty" for each in values)
        return f"{labels[last]}{which}: {old} → {new}"

    names = dict.fromkeys((*before, *now)) if before else ()
    return [line(name) for name in names if before.get(name, "") != now.get(name, "")]


def rejected(error: ApiError, fields: Mapping[str, str], called: Mapping[str, str]) -> Entered:
    """Return the entered values with the errors; `called` are form fields by body path."""
    if isinstance(error, Unread):
        return Entered(fields, {}, sentence=error.sentence)
    if not isinstance(error, NamesFields):
        about = str(error.meta.get("creator_id", ""))
        return Entered(fields, {}, (sentence_of(error),), error.status, about=about)
    wrong: dict[str, str] = {}
    problems: list[str] = []
    for issue in error.issues:
        path, message = located(issue["path"], issue["message"])
        name = _field_of(path, called)
        if name is None:
            problems.append(beside_no_field(path, message))
        else:
            wrong.setdefault(name, of_field(path, message, fields.get(name, "")))
    return Entered(fields, wrong, tuple(problems), error.status)


def _field_of(path: str, called: Mapping[str, str]) -> str | None:
    """Return the form field for a body path: the path itself, its last part, or a prefix."""
    around = (name for name in called if path.startswith(f"{name}."))
    field = next((name for name in (path, path.rpartition(".")[2]) if name in called), None)
    return called.get(field or next(around, ""))
