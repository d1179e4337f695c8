"""Marts of names, trees, tags, goals and conversions."""

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import duckdb
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from jinja2 import Template

from serving_api.resources.tracking.videos.presenter import first_line
from tests.dbt_project.harness import Harness
from tests.dbt_project.histories import zone_offsets

ZONE = "America/New_York"
ORGANIZATION, PROJECT, CREATOR, ACCOUNT, VIDEO = (UUID(int=n) for n in range(1, 6))
SPRING, EASTER, TAG, EVENT, CONVERSION, GOAL = (UUID(int=n) for n in range(11, 17))
OWNED = {"organization_id": ORGANIZATION, "project_id": PROJECT}


def at(day: int, hour: int = 12) -> datetime:
    return datetime(2026, 3, day, hour, tzinfo=UTC)


SINCE = {"created_at": at(1)}
STATE = {
    **OWNED,
    "goal_id": GOAL,
    "creator_id": CREATOR,
    "metric": "views",
    "period": "monthly",
    "platform_scope": "all",
}
FIRST = {
    "organizations": [{"id": ORGANIZATION, "name": "Acme", "analytics_tz": ZONE}],
    "projects": [{"id": PROJECT, "organization_id": ORGANIZATION, "name": "App", **SINCE}],
    "creators": [{"id": CREATOR, **OWNED, "display_name": "Ada", "is_active": True, **SINCE}],
    "accounts": [
        {
            "id": ACCOUNT,
            **OWNED,
            "creator_id": CREATOR,
            "platform": "tiktok",
            "handle": "ada",
            "display_name": "Ada Reads",
            "is_active": True,
        }
    ],
    "videos": [
        {
            "id": VIDEO,
            **OWNED,
            "creator_id": CREATOR,
            "account_id": ACCOUNT,
            "platform": "tiktok",
            "platform_video_id": "1",
            "caption": " One book\na day #books",
            "media_type": "video",
            "duration_seconds": 31,
            "tracking_status": "auto_tracked",
            "posted_at": at(2),
            "posted_at_is_estimate": False,
            "created_at": at(2),
        }
    ],
    "campaigns": [
        {"id": SPRING, **OWNED, "name": "Spring", **SINCE},
        {"id": EASTER, **OWNED, "name": "Easter", **SINCE},
    ],
    "campaign_items": [{"id": UUID(int=90), "campaign_id": SPRING, "child_campaign_id": EASTER}],
    "tags": [
        {
            "id": TAG,
            "organization_id": ORGANIZATION,
            "entity_type": "creator",
            "name": "Books",
            "color": "blue",
            **SINCE,
        }
    ],
    "tag_items": [
        {"tag_id": TAG, "item_id": CREATOR, "organization_id": ORGANIZATION, "created_at": at(3)}
    ],
    "conversion_events": [
        {"id": EVENT, **OWNED, "key": "signup", "name": "Sign-up", "currency": "EUR", **SINCE}
    ],
    "conversions": [
        {
            "id": CONVERSION,
            **OWNED,
            "conversion_event_id": EVENT,
            "target_type": "video",
            "creator_id": CREATOR,
            "video_id": VIDEO,
            "value_cents": 250,
            "quantity": 2,
            "total_value_cents": 500,
            "occurred_at": at(4, 3),
            "created_at": at(4, 5),
        }
    ],
    "goal_states": [
        {**STATE, "target_value": 5, "is_active": True, "is_deleted": False, "valid_from": at(1)}
    ],
    "zone_offsets": list(zone_offsets((ZONE,))),
}


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> Harness:
    """A warehouse with one run, before names change."""
    harness = Harness(tmp_path_factory.mktemp("named"))
    harness.decide(**FIRST)
    harness.run(as_of=at(5))
    return harness


def shown(harness: Harness, mart: str, *columns: str) -> list[tuple[Any, ...]]:
    return [tuple(row[column] for column in columns) for row in harness.rows(mart)]


@pytest.mark.slow
def test_marts_contain_names(named: Harness) -> None:
    assert shown(named, "projects", "project_id", "name") == [(PROJECT, "App")]
    assert shown(named, "creators", "creator_id", "display_name", "is_deactivated") == [
        (CREATOR, "Ada", False)
    ]
    assert shown(named, "accounts", "handle", "display_name") == [("ada", "Ada Reads")]
    assert shown(named, "videos", "title", "caption", "media_type", "duration_seconds") == [
        ("One book", " One book\na day #books", "video", 31)
    ]
    assert shown(named, "campaigns", "name") == [("Spring",), ("Easter",)]
    assert shown(named, "campaign_tree", "campaign_id", "sub_campaign_id", "is_direct") == [
        (SPRING, EASTER, True)
    ]
    assert shown(named, "tags", "name", "entity_type") == [("Books", "creator")]
    assert shown(named, "tag_items", "item_id", "tag_name", "entity_type") == [
        (CREATOR, "Books", "creator")
    ]


def test_conversions_are_dated_in_the_organizations_zone(named: Harness) -> None:
    """03:00 UTC is the day before in New York."""
    assert shown(named, "conversion_events", "key", "name", "currency") == [
        ("signup", "Sign-up", "EUR")
    ]
    columns = ("conversion_id", "day", "total_value_cents", "currency", "is_voided")
    assert shown(named, "conversions", *columns) == [
        (CONVERSION, date(2026, 3, 3), 500, "EUR", False)
    ]


@pytest.mark.slow
def test_changed_names_appear_in_the_next_run(named: Harness) -> None:
    """There are no new readings, so only what depends on names is built."""
    deleted = {"target_value": 7, "is_active": True, "is_deleted": True, "valid_from": at(5, 13)}
    named.decide(
        creators=[{**FIRST["creators"][0], "display_name": "Ada L.", "deactivated_at": at(5)}],
        videos=[{**FIRST["videos"][0], "custom_title": "Mine"}],
        campaign_items=[],
        tag_items=[],
        conversions=[{**FIRST["conversions"][0], "voided_at": at(5)}],
        goal_states=[*FIRST["goal_states"], {**STATE, **deleted}],
    )
    run = named.run(as_of=at(6))
    assert not run.is_full_refresh
    assert shown(named, "creators", "display_name", "is_deactivated") == [("Ada L.", True)]
    assert shown(named, "videos", "title") == [("Mine",)]
    assert shown(named, "campaign_tree") == shown(named, "tag_items") == []
    assert shown(named, "conversions", "is_voided") == [(True,)]
    columns = ("goal_id", "target_value", "is_in_force", "is_deleted", "created_at", "changed_at")
    assert shown(named, "goals", *columns) == [(GOAL, 7, False, True, at(1), at(5, 13))]


BLANKS = "\x0b\x0c\r\n\t\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2003\u2028\u2029\u202f\u205f\u3000"


@pytest.mark.slow
@given(st.text(st.sampled_from(BLANKS + "ab💬é\u200b"), max_size=130))
@example("a" * 101)
@example("\n  \n")
def test_titles_from_captions_match_the_api(caption: str) -> None:
    macro = Path("dbt_project/macros/texts/first_line.sql").read_text(encoding="utf-8")
    rows = duckdb.execute(f"select {rendered(macro)}", {"caption": caption}).fetchall()
    assert rows == [(first_line(caption),)]


def rendered(macro: str) -> str:
    return Template(macro + '{{ first_line("$caption") }}').render().strip()
