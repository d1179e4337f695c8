"""Taggable items of each type, and full vocabularies."""

from typing import Any

from tests.fixtures.api import Tenant
from warehouse.operational.models import Tag

TYPES = ("creator", "campaign", "account", "video")
NOBODY = "01976b2e-7c00-7c3a-9d7e-3f1c2b4a5d6e"
"""An id that no item has."""


def add_item(tenant: Tenant, entity_type: str, number: int = 1) -> str:
    """Create an item over the API; return its id. Equal numbers give the same item."""
    if entity_type == "campaign":
        return str(tenant.campaign(f"Campaign {number}")["id"])
    if entity_type == "video":
        return str(tenant.video(number)["id"])
    creator = tenant.creator(f"item.{entity_type}.{number}")
    return str(creator["id"] if entity_type == "creator" else creator["accounts"][0]["id"])


def remove_item(tenant: Tenant, entity_type: str, item_id: str) -> None:
    """Remove a creator or account, exclude a video or delete a campaign."""
    tenant.client.data("DELETE", f"/{entity_type}s/{item_id}")


def tags_path(entity_type: str, item_id: str) -> str:
    return f"/{entity_type}s/{item_id}/tags"


def put_on(tenant: Tenant, entity_type: str, item_id: str, *tags: str) -> Any:
    """Add tags to an item over the API; return the whole response."""
    path = tags_path(entity_type, item_id)
    return tenant.client.answer("POST", path, json={"tags": list(tags)})


def names(tags: Any) -> list[str]:
    return [tag["name"] for tag in tags]


def fill_vocabulary(tenant: Tenant, entity_type: str, count: int) -> None:
    """Insert `count` tags into the store: `filler 0`, `filler 1`, ..."""
    with tenant.api.store.write_session() as session:
        session.add_all(
            Tag(
                organization_id=tenant.organization_id,
                entity_type=entity_type,
                name=f"Filler {number}",
                name_key=f"filler {number}",
                created_via="api",
            )
            for number in range(count)
        )
