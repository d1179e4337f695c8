"""A form that is shown again: with what was entered, and what was refused beside its field.

It is made where all errors become answers, when what the request wrote has been taken back.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from fastapi import Request, Response

from serving_api.desk.plainer import beside_no_field, of_field, place_of
from serving_api.errors import ApiError, InvalidRequest, NamesFields


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

EXPECTED = "expected_version"
"""The field with the version that a form was filled in with."""
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


Shown = Callable[[Entered], Response]


def show_again(
    request: Request,
    fields: Mapping[str, str],
    names: Sequence[str] | Mapping[str, str],
    show: Shown,
) -> None:
    """Have what is refused from now on told on the form.

    `names` are its fields, by the paths that bodies have them at; as a mapping, what the form calls
    each.
    """
    called = names if isinstance(names, Mapping) else {name: name for name in names}

    def tell(error: ApiError) -> Response:
        shown = show(_refused(error, fields, called))
        shown.headers.update(error.headers)
        return shown

    request.state.tell = tell


def _refused(error: ApiError, fields: Mapping[str, str], called: Mapping[str, str]) -> Entered:
    if isinstance(error, Unread):
        return Entered(fields, {}, sentence=error.sentence)
    if not isinstance(error, NamesFields):
        return Entered(fields, {}, (error.message,), error.status)
    wrong: dict[str, str] = {}
    problems: list[str] = []
    for issue in error.issues:
        path, message = place_of(issue["path"], issue["message"])
        name = _field_of(path, called)
        if name is None:
            problems.append(beside_no_field(path, message))
        else:
            wrong.setdefault(name, of_field(path, message, fields.get(name, "")))
    return Entered(fields, wrong, tuple(problems), error.status)


def _field_of(path: str, called: Mapping[str, str]) -> str | None:
    """Return the field of a form that a path in a body is about: itself, its last part, or all."""
    around = (one for one in called if path.startswith(f"{one}."))
    found = next((one for one in (path, path.rpartition(".")[2]) if one in called), None)
    return called.get(found or next(around, ""))
