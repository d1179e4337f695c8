"""A form that is shown again: with what was entered, and what was refused beside its field.

It is made where all errors become answers, when what the request wrote has been taken back.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from fastapi import Request, Response

from serving_api.errors import ApiError, NamesFields


@dataclass(frozen=True, slots=True)
class Entered:
    """What a form shows: what was entered, what is wrong with fields, and what else is."""

    values: Mapping[str, str]
    wrong: Mapping[str, str]
    problems: tuple[str, ...] = ()
    status: int = 200

    def get(self, name: str, default: str = "") -> str:
        """Return what was entered."""
        return self.values.get(name, default)


NOTHING = Entered({}, {})

_PLAINER = {
    "String should have at least 1 character": "This is needed",
    "String should match pattern": "This is not written as it should be",
    "Field required": "This is needed",
    "Input should be a valid integer": "Write a whole number",
}
"""How refusals of the schema's own begin, and what people are told instead."""

Shown = Callable[[Entered], Response]


def show_again(
    request: Request, fields: Mapping[str, str], names: tuple[str, ...], show: Shown
) -> None:
    """Have what is refused from now on told on the form; `names` are its fields, by body paths."""

    def tell(error: ApiError) -> Response:
        shown = show(_refused(error, fields, names))
        shown.headers.update(error.headers)
        return shown

    request.state.tell = tell


def _refused(error: ApiError, fields: Mapping[str, str], names: tuple[str, ...]) -> Entered:
    if not isinstance(error, NamesFields):
        return Entered(fields, {}, (error.message,), error.status)
    wrong: dict[str, str] = {}
    problems: list[str] = []
    for issue in error.issues:
        name = next((one for one in names if f"{issue['path']}.".startswith(f"{one}.")), None)
        if name is None:
            problems.append(f"{issue['path']}: {issue['message']}")
        else:
            wrong.setdefault(name, _plain(issue["message"]))
    return Entered(fields, wrong, tuple(problems), error.status)


def _plain(message: str) -> str:
    return next((said for begun, said in _PLAINER.items() if message.startswith(begun)), message)
