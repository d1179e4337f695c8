"""Limits of plans, read from `plans.toml` (decisions.md, Plans)."""

import tomllib
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, TypeAdapter

_FILE = Path(__file__).with_name("plans.toml")


class Plan(BaseModel):
    """The limits of one plan. `tier_retention_days` None keeps history for ever."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    max_api_requests_per_day: int
    max_api_keys_per_org: int
    max_accounts_per_org: int
    max_projects_per_org: int
    max_free_organizations_per_user: int
    max_tracked_videos_per_org: int
    max_manual_scrapes_per_day: int
    max_conversion_events_per_project: int
    tier_retention_days: int | None = None
    comment_insights_enabled: bool
    max_comment_videos_per_day: int


@cache
def _plans() -> dict[str, Plan]:
    with _FILE.open("rb") as file:
        return TypeAdapter(dict[str, Plan]).validate_python(tomllib.load(file))


def plan(name: str) -> Plan:
    return _plans()[name]
