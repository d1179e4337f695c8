"""What the last form did, for the message on the next page and its undo button.

The redirect carries it in a header, which `entry` turns into a signed cookie for one page.
"""

from collections.abc import Collection
from dataclasses import dataclass
from http import HTTPStatus
from typing import Self
from urllib.parse import quote, unquote
from uuid import UUID

from fastapi import Response
from fastapi.responses import RedirectResponse
from pydantic import TypeAdapter

HEADER = "Desk-Done"
MOST_UNDONE = 60
"""Ids: browsers store cookies of up to 4 KB."""


@dataclass(frozen=True, slots=True)
class Undo:
    """The button that undoes an action: its form's address, name and value."""

    action: str
    name: str
    ids: str
    undone: str


@dataclass(frozen=True, slots=True)
class Done:
    """What was done, in words, and how to undo it if that is possible."""

    words: str = "Done."
    undo: Undo | None = None

    @classmethod
    def read(cls, sent: str) -> Self:
        return TypeAdapter(cls).validate_json(sent)

    @classmethod
    def pop(cls, answer: Response) -> str:
        """Remove the header from a redirect, and return its content."""
        sent = answer.headers.get(HEADER)
        if sent is None:
            return cls().written
        del answer.headers[HEADER]
        return unquote(sent)

    @property
    def written(self) -> str:
        return TypeAdapter(Done).dump_json(self).decode()


def redirect(
    address: str,
    words: str,
    undo: str | None = None,
    ids: Collection[UUID] = (),
    *,
    undone: str = "",
    undo_at: str | None = None,
) -> Response:
    """Redirect after an accepted form; the next page says what was done.

    `undo` is the name of the button that undoes it for `ids`, at the same address or `undo_at`;
    `undone` is the action that it undoes.
    """
    has_undo = undo is not None and 0 < len(ids) <= MOST_UNDONE
    joined = ",".join(map(str, ids))
    button = Undo(undo_at or address, undo or "", joined, undone) if has_undo else None
    headers = {HEADER: quote(Done(words, button).written)}
    return RedirectResponse(address, HTTPStatus.SEE_OTHER, headers)
