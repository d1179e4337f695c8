"""Request bodies of several kinds, distinguished by one field.

Tags are in parentheses in unions and error locations, so that they cannot be field names.
"""

import re

from pydantic import Discriminator, Tag

UNKNOWN_KIND = "unknown_kind:"
"""Prefix of the error type for an unknown kind; the field name follows."""

_TAG = re.compile(r"\(\w+\)")


def tag(kind: str) -> Tag:
    """Return the tag of a kind, for its type in a union."""
    return Tag(f"({kind})")


def discriminated_by(field: str, *kinds: str) -> Discriminator:
    """Return the discriminator of bodies whose `field` names the kind."""

    def tag_of(body: object) -> str | None:
        kind = body.get(field) if isinstance(body, dict) else getattr(body, field, None)
        return f"({kind})" if kind in kinds else None

    return Discriminator(
        tag_of,
        custom_error_type=UNKNOWN_KIND + field,
        custom_error_message="must be one of " + ", ".join(kinds),
    )


def is_tag(part: int | str) -> bool:
    return isinstance(part, str) and _TAG.fullmatch(part) is not None
