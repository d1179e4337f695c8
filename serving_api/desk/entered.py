"""A form that is shown again: with what was entered, and what was refused beside its field.

It is made where all errors become answers, when what the request wrote has been taken back.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from fastapi import Request, Response

from serving_api.error_messages import beside_no_field, located, of_field, sentence_of
from serving_api.errors import ApiError, InvalidRequest, NamesFields, VersionConflict


@dataclass(frozen=True, slots=True)
class Entered:
    """What a form shows: what was entered, what is wrong with fields, and what else is.

    `sentence` says what is saved with the next press.
    """

    values: Mapping[str, str]
    wrong: Mapping[str, str]
    problems: tuple[str, ...] = ()
    status: int = 200
    sentence: str = ""

    def get(self, name: str, default: str = "") -> str:
        """Return what was entered."""
        return self.values.get(name, default)


NOTHING = Entered({}, {})

EXPECTED, SEEN = "expected_version", "seen"
"""The fields with the version that a form was filled in with, and with its values."""
SENTENCE = "sentence"
"""The field that a saving button has: what the form that is saved said of it."""


class Unread(InvalidRequest):
    """What was entered has not been read yet as what it means: it is shown, and nothing is kept."""

    def __init__(self, sentence: str) -> None:
        super().__init__("Read what this means, then save it")
        self.sentence = sentence


def require_read(fields: Mapping[str, str], sentence: str) -> None:
    """Raise Unread unless the person saw the sentence of what is about to be saved."""
    if fields.get(SENTENCE) != sentence:
        raise Unread(sentence)


ShowForm = Callable[[Entered], Response]


def show_again(
    request: Request,
    fields: Mapping[str, str],
    names: Sequence[str] | Mapping[str, str],
    show: ShowForm,
    changed: Callable[[], Sequence[str]] = tuple,
) -> None:
    """Have what is refused from now on told on the form.

    `names` are its fields, by the paths that bodies have them at; as a mapping, what the form calls
    each. `changed` returns what somebody else changed since the form was filled in.
    """
    called = names if isinstance(names, Mapping) else {name: name for name in names}

    def error_page(error: ApiError) -> Response:
        page = show(
            _outdated(error, fields, changed())
            if isinstance(error, VersionConflict)
            else _refused(error, fields, called)
        )
        page.headers.update(error.headers)
        return page

    request.state.error_page = error_page


def _outdated(error: ApiError, fields: Mapping[str, str], changed: Sequence[str]) -> Entered:
    """Return what was entered, of the present version, and what was changed in between."""
    entered = {name: value for name, value in fields.items() if name not in {EXPECTED, SEEN}}
    return Entered(entered, {}, (OUTDATED, *changed), error.status)


OUTDATED = "This was changed in the meantime. Check what changed, then save again."


def seen_in(fields: Mapping[str, str]) -> Mapping[str, str]:
    """Return the values that a form was filled in with; none where it does not say."""
    try:
        seen = json.loads(fields.get(SEEN, ""))
    except ValueError:
        seen = None
    return {str(name): str(value) for name, value in seen.items()} if isinstance(seen, dict) else {}


def merged(fields: Mapping[str, str], filled: Mapping[str, str]) -> dict[str, str]:
    """Return what people changed since their form was filled in, the rest as it is `filled` now."""
    seen = seen_in(fields)
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
    """Return a line for each field that has another value now.

    `labels` and `choices` say what fields and their values are called, by the last part of a path.
    """

    def line(name: str) -> str:
        row_path, _, last = name.rpartition(".")
        row_number = row_path.rpartition(".")[2]
        which = f", step {int(row_number) + 1}" if row_number.isdigit() else ""
        values = (of.get(name, "") for of in (before, now))
        old, new = (choices.get(last, {}).get(each, each) or "empty" for each in values)
        return f"{labels[last]}{which}: {old} → {new}"

    names = dict.fromkeys((*before, *now)) if before else ()
    return [line(name) for name in names if before.get(name, "") != now.get(name, "")]


def _refused(error: ApiError, fields: Mapping[str, str], called: Mapping[str, str]) -> Entered:
    if isinstance(error, Unread):
        return Entered(fields, {}, sentence=error.sentence)
    if not isinstance(error, NamesFields):
        return Entered(fields, {}, (sentence_of(error),), error.status)
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
    """Return the field of a form that a path in a body is about: itself, its last part, or all."""
    around = (name for name in called if path.startswith(f"{name}."))
    field = next((name for name in (path, path.rpartition(".")[2]) if name in called), None)
    return called.get(field or next(around, ""))
