"""What a tag may be called, and when two names are the same one (contract, Tag).

Wherever tags are named, an entry that is a UUID is an id and anything else a name.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from unicodedata import normalize
from uuid import UUID

from serving_api.errors import InvalidTagName
from warehouse.operational.models import Tag

MAX_LENGTH = 40

_UUID = re.compile(r"[0-9a-f]{8}(-?)([0-9a-f]{4}\1){3}[0-9a-f]{12}", re.IGNORECASE | re.ASCII)


@dataclass(frozen=True, slots=True)
class Named:
    """Tags as a request names them, each once. `names` are by key, as a new tag would keep them."""

    ids: frozenset[UUID]
    names: Mapping[str, str]

    def without(self, tags: Collection[Tag]) -> "Named":
        """Return what is named and none of the tags."""
        ids, keys = {tag.id for tag in tags}, {tag.name_key for tag in tags}
        names = {key: name for key, name in self.names.items() if key not in keys}
        return Named(self.ids - ids, names)


def cleaned(text: str) -> str:
    """Return a name as it is kept: composed (NFC), trimmed, one space for a run of them."""
    return " ".join(normalize("NFC", text).split())


def key_of(name: str) -> str:
    """Return what names are matched by: the same for any casing and any way to write accents.

    This is Unicode's canonical caseless matching (The Unicode Standard, D145), composed.
    """
    return normalize("NFC", normalize("NFD", name).casefold())


def problem_of(name: str) -> str | None:
    """Return what is wrong with a cleaned name, None if nothing is."""
    if not name:
        return "must not be empty"
    if len(name) > MAX_LENGTH:
        return f"must have at most {MAX_LENGTH} characters"
    if "," in name:
        return "must not contain a comma"
    if _UUID.fullmatch(name):
        return "must not look like a UUID"
    return None


def read_named(entries: Iterable[str]) -> Named:
    """Tell ids from names. Names are not checked: one that no tag can have matches none."""
    ids, names = set(), dict[str, str]()
    for entry in entries:
        name = cleaned(entry)
        if _UUID.fullmatch(name):
            ids.add(UUID(name))
        else:
            names.setdefault(key_of(name), name)
    return Named(frozenset(ids), names)


def checked_named(entries: Iterable[str]) -> Named:
    """Tell ids from names. Raises InvalidTagName with every entry that is neither."""
    entries = list(entries)
    named = read_named(entries)
    bad = {name: problem for name in named.names.values() if (problem := problem_of(name))}
    if bad:
        invalid = [(entry, bad[name]) for entry in entries if (name := cleaned(entry)) in bad]
        raise InvalidTagName(invalid)
    return named
