"""Bodies of several kinds, told apart by one of their fields; knows no noun.

A tag in parentheses stands for a kind, in unions and in the places of errors, so that it is no
field's name.
"""

import re

from pydantic import Discriminator, Tag

UNKNOWN_KIND = "unknown_kind:"
"""How the type of an error about a kind that there is not begins; the field's name follows."""

_TAG = re.compile(r"\(\w+\)")


def tag(kind: str) -> Tag:
    """Return the tag of a kind, for its type in a union."""
    return Tag(f"({kind})")


def discriminated_by(field: str, *kinds: str) -> Discriminator:
    """Return how to tell bodies apart whose `field` says which of the kinds they are."""

    def tag_of(body: object) -> str | None:
        kind = body.get(field) if isinstance(body, dict) else getattr(body, field, None)
        return f"({kind})" if kind in kinds else None

    return Discriminator(
        tag_of,
        custom_error_type=UNKNOWN_KIND + field,
        custom_error_message="must be one of " + ", ".join(kinds),
    )


def is_tag(part: int | str) -> bool:
    """Tell whether a part of an error's place is a tag and no field."""
    return isinstance(part, str) and _TAG.fullmatch(part) is not None
