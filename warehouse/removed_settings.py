"""Features that were removed with their settings, and what replaces each.

An installation that configured one goes on without it, and is told so by name.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from dotenv import dotenv_values


@dataclass(frozen=True, slots=True)
class Removed:
    """A feature: the beginning of its settings' names, and the provider that it was, if any."""

    feature: str
    prefix: str
    instead: str
    provider: str | None = None


REMOVED = (
    Removed(
        "TikTok's Research API",
        "TRACKER_TIKTOK_RESEARCH_",
        "Use scrapecreators, ensembledata, or display (connected accounts) instead.",
        provider="research",
    ),
    Removed("Apify", "TRACKER_APIFY_", "Use scrapecreators or ensembledata instead.", "apify"),
    Removed(
        "Bright Data",
        "TRACKER_BRIGHTDATA_",
        "Use scrapecreators or ensembledata instead.",
        "brightdata",
    ),
    Removed(
        "Dagster's history in files",
        "TRACKER_DAGSTER_STORAGE",
        "It is always in PostgreSQL. Remove the setting.",
    ),
    Removed(
        "the choice of shards that Dagster computes",
        "TRACKER_DAGSTER_SHARDS",
        "It always computes all shards. Remove the setting.",
    ),
)
"""Removals add a row here."""

REMOVED_PROVIDERS = frozenset(removed.provider for removed in REMOVED if removed.provider)


def given_variables(env_file: str) -> Mapping[str, str | None]:
    """Return the variables of the environment and of `.env`, with names in upper case."""
    return {
        name.upper(): value for name, value in {**dotenv_values(env_file), **os.environ}.items()
    }


def is_removed(name: str) -> bool:
    """Return whether a variable is a setting of a removed feature."""
    return name.startswith(tuple(removed.prefix for removed in REMOVED))


def removed_settings(given: Mapping[str, str | None]) -> Iterator[tuple[str, str]]:
    """Yield each configured feature that was removed as a sentence, with what replaces it."""
    for removed in REMOVED:
        ignored = sorted(name for name in given if name.startswith(removed.prefix))
        providers = (name for name in sorted(given) if name.endswith(("_PROVIDER", "_PROVIDERS")))
        ignored += [
            f"{removed.provider} in {name}"
            for name in providers
            if removed.provider in [part.strip() for part in (given[name] or "").split(",")]
        ]
        if ignored:
            yield f"{removed.feature} was removed; ignored: {', '.join(ignored)}.", removed.instead
