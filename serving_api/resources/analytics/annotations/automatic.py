"""Titles, texts and ids of automatic annotations."""

from collections.abc import Iterator, Mapping
from typing import Any
from uuid import UUID

from serving_api.errors import InvalidParams
from serving_api.kit.markdown import plain
from serving_api.resources.analytics.annotations.schemas import AutoKind
from warehouse.platforms import PLATFORM_NAMES
from warehouse.reading.milestones import Milestone

TITLES: Mapping[AutoKind, str] = {
    "campaign_created": "Campaign created",
    "readme_changed": "Notes changed",
    "creator_profile_change": "Profile changed",
    "creator_milestone": "{threshold:,} {counted} reached",
}
FIELDS = {"handle": "Handle", "display_name": "Name", "bio_link": "Link", "is_private": "Private"}
LONGEST_VALUE = 500
"""Maximum characters of a platform's text to repeat."""


def automatic_id(kind: AutoKind, *about: object) -> str:
    """Return the id of an automatic annotation; it is the same as long as its subject exists."""
    return ":".join([kind, *map(str, about)])


def stored_id(annotation_id: str) -> UUID | None:
    """Return the id of a user's annotation, or None for an automatic one.

    Raises InvalidParams for any other text.
    """
    if annotation_id.partition(":")[0] in TITLES:
        return None
    try:
        return UUID(annotation_id)
    except ValueError:
        raise InvalidParams.at("annotation_id", "must be the id of an annotation") from None


def milestone_title(milestone: Milestone) -> str:
    """Return the title of a milestone, such as `10,000 followers reached`."""
    return TITLES["creator_milestone"].format(
        threshold=milestone.threshold, counted=milestone.counted
    )


def profile_body(profile: Mapping[str, Any]) -> str:
    """Return the changes of an account's profile as Markdown."""
    platform = PLATFORM_NAMES[profile["platform"]]
    return "\n".join(
        [f"{platform} account {plain('@' + profile['handle'])}:", "", *_lines(profile)]
    )


def _lines(profile: Mapping[str, Any]) -> Iterator[str]:
    changes = profile["changes"]
    for field, label in FIELDS.items():
        if field in changes:
            yield f"- {label}: {_text(changes[field]['from'])} → {_text(changes[field]['to'])}"


def _text(value: str | bool) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return plain(value[:LONGEST_VALUE])
