"""What a run reports about a platform that answered none of its fetches."""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from dagster import DagsterInstance

from orchestration.assembly import build_definitions
from orchestration.defs.jobs import scraping
from orchestration.scraping.worker import Scope
from tests.factories.tracking import add_account
from tests.orchestration.scraping.test_claimed_fetches import Platform
from warehouse.operational.models import Account
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.store import OperationalStore
from warehouse.scrape_jobs.queue import enqueue
from warehouse.settings import Settings


def test_queued_fetches_that_reach_nothing_fail_the_check_at_once(
    settings: Settings, store: OperationalStore, organization: NewOrganization
) -> None:
    """The jobs wait for minutes, so a retry of the step would find none and report success."""
    account_id = add_account(store, organization, "demo", platform_user_id="7")
    with store.write_session() as session:
        account = session.get_one(Account, account_id)
        enqueue(session, job_type="creator_profiles", account=account)

    @asynccontextmanager
    async def open_platform(_: Settings, platform: str, *__: Any) -> AsyncIterator[Platform]:
        yield Platform(Counter(), platform=platform, is_away=True)

    definitions = build_definitions(settings, store=store, open_provider=open_platform)
    with DagsterInstance.ephemeral() as instance:
        request = scraping("tiktok", Scope.NOTHING, {})
        result = definitions.resolve_job_def("scrape").execute_in_process(
            instance=instance,
            run_config=request.run_config,
            asset_selection=request.asset_selection,
        )
        [check] = result.get_asset_check_evaluations()
    assert (check.asset_key.path[-1], check.passed) == ("tiktok", False)
    assert "tiktok answered 0 of 1 fetches" in str(check.description)
