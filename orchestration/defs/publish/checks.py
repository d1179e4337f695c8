"""Checks on what was just published: readers find it, and the accounts in it are looked at."""

from dagster import (
    AssetCheckResult,
    AssetCheckSeverity,
    ResourceParam,
    asset_check,
)

from orchestration.defs.publish.assets import PUBLICATION
from warehouse.publication.current import CurrentPublication
from warehouse.settings import Settings

FRESHNESS = """
    select
        count(*) as accounts,
        count(*) filter (where is_stale_profile) as stale_profiles,
        count(*) filter (where is_stale_discovery) as stale_discoveries
    from marts.scrape_freshness
"""


@asset_check(
    asset=PUBLICATION,
    description="Every active account was looked at lately (28 h profile, 48 h posts).",
)
def accounts_are_fresh(settings: ResourceParam[Settings]) -> AssetCheckResult:
    """Warn of stale accounts; their last numbers are served meanwhile."""
    current = CurrentPublication(settings.publications_path)
    with current.cursor() as cursor:
        row = cursor.execute(FRESHNESS).fetchone()
    accounts, stale_profiles, stale_discoveries = row or (0, 0, 0)
    return AssetCheckResult(
        passed=stale_profiles + stale_discoveries == 0,
        severity=AssetCheckSeverity.WARN,
        description=f"{stale_profiles} of {accounts} active accounts have a stale profile, "
        f"{stale_discoveries} a stale discovery",
        metadata={
            "accounts": accounts,
            "stale_profiles": stale_profiles,
            "stale_discoveries": stale_discoveries,
        },
    )


CHECKS = [accounts_are_fresh]
