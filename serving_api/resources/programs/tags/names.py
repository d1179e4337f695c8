"""Names of tags: what is allowed, and when two names are equal (contract, Tag).

Where tags are named, an entry that is a UUID is an id, and anything else a name.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from unicodedata import normalize
from uuid import UUID

from serving_api.errors import InvalidTagName
from serving_api.kit.schemas import is_blank
from warehouse.operational.models import Tag

MAX_LENGTH = 40

_UUID = re.compile(r"[0-9a-f]{8}(-?)([0-9a-f]{4}\1){3}[0-9a-f]{12}", re.IGNORECASE | re.ASCII)


@dataclass(frozen=True, slots=True)
class Named:
    """The tags that a request names, each once. `names` maps keys to names for new tags."""

    ids: frozenset[UUID]
    names: Mapping[str, str]

    def without(self, tags: Collection[Tag]) -> "Named":
        """Return the ids and names that match none of the tags."""
        ids, keys = {tag.id for tag in tags}, {tag.name_key for tag in tags}
        names = {key: name for key, name in self.names.items() if key not in keys}
        return Named(self.ids - ids, names)


def cleaned(text: str) -> str:
    """Normalize a name for storage: NFC, trimmed, single spaces."""
    return " ".join(normalize("NFC", text).split())


def key_of(name: str) -> str:
    """Return a name's key: equal for every casing and every way to write accents.

    This is Unicode's canonical caseless matching (The Unicode Standard, D145), composed.
    """
    return normalize("NFC", normalize("NFD", name).casefold())


def problem_of(name: str) -> str | None:
    """Return what is wrong with a normalized name, or None."""
    if is_blank(name):
        return "must not be empty"
    if len(name) > MAX_LENGTH:
        return f"must be at most {MAX_LENGTH} characters"
    if "," in name:
        return "must not contain a comma"
    if _UUID.fullmatch(name):
        return "must not look like a UUID"
    return None


def read_named(entries: Iterable[str]) -> Named:
    """Separate ids from names. Names are not validated; an invalid name matches no tag."""
    ids, names = set(), dict[str, str]()
    for entry in entries:
        name = cleaned(entry)
        if _UUID.fullmatch(name):
            ids.add(UUID(name))
        else:
            names.setdefault(key_of(name), name)
    return Named(frozenset(ids), names)


def checked_named(entries: Iterable[str]) -> Named:
    """Separate ids from names. Raises InvalidTagName with every invalid name."""
    entries = list(entries)
    named = read_named(entries)
    bad = {name: problem for name in named.names.values() if (problem := problem_of(name))}
    if bad:
        invalid = [(entry, bad[name]) for entry in entries if (name := cleaned(entry)) in bad]
        raise InvalidTagName(invalid)
    return named
