"""Why an account's numbers are missing, since when, and the remedy."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID
from zoneinfo import ZoneInfo

from duckdb import DuckDBPyConnection

from serving_api.connect_page.service import ConnectPage
from serving_api.desk.health.words import BROKEN, CONNECT, LOOK_FOR, OPEN_UP, RECONNECT, words_of
from serving_api.kit.request_context import RequestContext
from serving_api.resources.payouts.accruals.summary import plural
from serving_api.resources.programs.program_health.tracking import FRESH_PROFILE
from serving_api.resources.tracking.accounts import repository as accounts
from warehouse.connections.rows import in_trouble
from warehouse.operational.models import Account, AccountConnection
from warehouse.platforms import PLATFORM_NAMES
from warehouse.reading.fetches import (
    PlatformStatus,
    RecentFetches,
    platforms_of_project,
    refused_accounts_of,
)

GONE = {"not_found", "banned"}
"""Outcomes of checks that found no account (scrapers/outcomes.py)."""
EDIT = "To track them, change the dates under Edit."
RENAMED = "Check the handle: the creator renamed or deleted the account, or it was banned."
REACTIVATE = "Its history is kept. Admins can reactivate it under Edit."


@dataclass(frozen=True, slots=True)
class Reason:
    """Why numbers are missing. `connects`: connecting the account helps.

    `word` introduces `since`.
    """

    text: str
    since: datetime | None
    remedy: str
    connects: bool = False
    word: str = "since"


@dataclass(frozen=True, slots=True)
class WithoutNumbers:
    platform: str
    handle: str
    reason: Reason


@dataclass(frozen=True, slots=True)
class _Facts:
    """An account's facts that reasons are derived from."""

    account: Account
    broken: AccountConnection | None
    platform: PlatformStatus | None
    refused: RecentFetches | None
    private_since: datetime
    now: datetime
    zone: ZoneInfo


def accounts_without_numbers(
    context: RequestContext, project_id: UUID, creator_ids: Collection[UUID]
) -> Mapping[UUID, Sequence[WithoutNumbers]]:
    """Return creators' accounts with missing numbers, and the main reason of each."""
    project = (context.organization_id, project_id)
    answer = context.marts.cached(_refusals, project, lambda refusals: len(refusals[1]))
    platforms, refused = answer[0] if answer else ({}, {})
    broken = {
        connection.account_id: connection
        for connection in in_trouble(context.session, context.organization_id)
        if connection.broken_at
    }
    rows = accounts.present_of_creators(context.session, context.organization_id, creator_ids)
    private = accounts.private_since(context, creator_ids)
    now, zone = context.now, ZoneInfo(context.caller.analytics_tz)
    missing: dict[UUID, list[WithoutNumbers]] = defaultdict(list)
    for account in rows:
        refusing = platforms.get(account.platform)
        facts = _Facts(
            account=account,
            broken=broken.get(account.id),
            platform=refusing if refusing and refusing.is_refusing else None,
            refused=refused.get(account.id),
            private_since=private.get(account.id, account.created_at),
            now=now,
            zone=zone,
        )
        if reason := next(_reasons(facts), None):
            helps = reason.connects and account.platform in context.services[ConnectPage].logins
            with_connect = replace(reason, connects=helps)
            missing[account.creator_id].append(
                WithoutNumbers(PLATFORM_NAMES[account.platform], account.handle, with_connect)
            )
    return missing


def _refusals(
    cursor: DuckDBPyConnection, project: tuple[UUID, UUID]
) -> tuple[Mapping[str, PlatformStatus], Mapping[UUID, RecentFetches]]:
    """Return a project's platform statuses, and its refused accounts."""
    return platforms_of_project(cursor, *project), refused_accounts_of(cursor, *project)


def _reasons(of: _Facts) -> Iterator[Reason]:
    """Yield reasons, root causes first."""
    if of.account.deactivated_at:
        yield Reason("deactivated", of.account.deactivated_at, REACTIVATE)
    if of.broken:
        why = BROKEN[of.broken.broken_reason or "expired"]
        yield Reason(f"its connection broke: {why}", of.broken.broken_at, RECONNECT, connects=True)
    yield from _platform_reasons(of)
    yield from _refused(of)
    last = of.account.last_scraped_at
    if last and last < of.now - FRESH_PROFILE:
        yield Reason("checks do not succeed", last, LOOK_FOR, connects=True, word="last success")
    yield from _outside_dates(of)


def _outside_dates(of: _Facts) -> Iterator[Reason]:
    """Yield which posts the account's dates exclude; other posts stay current."""
    account, today = of.account, of.now.astimezone(of.zone).date()
    start, end = account.tracking_start_date, account.tracking_end_date
    if start and start > today:
        yield Reason(f"posts before {start:%-d %b %Y} are not tracked", None, EDIT)
    if end and end < today:
        yield Reason(
            f"posts after {end:%-d %b %Y} are not tracked",
            None,
            f"Older posts stay tracked. {EDIT}",
        )


def _platform_reasons(of: _Facts) -> Iterator[Reason]:
    account = of.account
    if account.profile_outcome in GONE:
        since = account.last_scraped_at or account.created_at
        yield Reason("the platform has no such account", since, RENAMED, word="last seen")
    if account.is_private or account.profile_outcome == "private":
        text = "private: only followers see its posts"
        yield Reason(text, of.private_since, OPEN_UP, connects=True)


def _refused(of: _Facts) -> Iterator[Reason]:
    if of.platform:
        words = words_of(of.platform.outcome or "")
        text = f"{PLATFORM_NAMES[of.account.platform]} refuses our checks"
        yield Reason(text, of.platform.refused_since, f"{words.means} {words.remedy}")
    elif of.refused:
        text = f"refused {of.refused.refused:,} of {plural(of.refused.fetches, 'check')}"
        remedy = f"{words_of(of.refused.commonest_refusal).means} {CONNECT}"
        yield Reason(text, of.refused.refused_since, remedy, connects=True)
