"""`tracker probe`: asks a provider once for each thing that it can read."""

import asyncio
from collections.abc import Coroutine
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Annotated, Any, Literal, TypeAlias

import typer
from rich.table import Table

from orchestration.cli.opening import current_store, settings_of_environment
from orchestration.cli.output import OUT, CommandFailed, print_json
from orchestration.cli.run import AsJson
from scrapers.provider import CommentProvider, Provider
from scrapers.snapshots import AccountTarget, PostTarget, ScrapeReport, newest_of
from warehouse.operational.spending import Spent, spent_on
from warehouse.operational.store import OperationalStore
from warehouse.settings import Settings

CAPABILITIES = ("profile", "posts", "one post", "comments")
SINCE = timedelta(days=3650)
"""How old listed posts may be; the first page with posts ends the list."""
ALWAYS_KNOWN = {"platform", "handle", "source", "captured_at", "is_exact", "posted_at_is_estimate"}

Fetched: TypeAlias = Coroutine[Any, Any, ScrapeReport]


@dataclass(frozen=True)
class Probed:
    """One answer. `known` and `unknown` are fields of its first reading, `read` counts readings."""

    capability: str
    outcome: str
    detail: str | None
    read: int
    known: list[str]
    unknown: list[str]
    requests: int
    usd: Decimal


def probe(
    provider: Annotated[str, typer.Argument(help="A provider, as in TRACKER_TIKTOK_PROVIDER.")],
    handle: Annotated[str, typer.Option(help="Handle of a public account with posts.")],
    platform: Annotated[
        Literal["tiktok", "instagram"], typer.Option(help="tiktok or instagram.")
    ] = "tiktok",
    as_json: AsJson = False,
) -> None:
    """Ask a provider for a profile, posts, one post and its comments, and print what came.

    Run it on the first day with a key. It stores no reading. Requests and dollars count in the
    day's budgets; those that workers spend meanwhile are in the table, too.

    Example: `tracker probe scrapecreators --handle demo.creator --platform instagram`
    """
    from scrapers.registry import UnknownProviderError  # noqa: PLC0415  not for --help

    chosen = {f"{platform}_provider": provider, f"{platform}_providers": ()}
    settings = settings_of_environment().model_copy(update=chosen)
    target = AccountTarget(platform=platform, handle=handle.removeprefix("@"))
    with current_store(settings) as store:
        try:
            rows = asyncio.run(_probe(settings, target, store, provider))
        except UnknownProviderError as unknown:
            raise CommandFailed(
                f"{unknown}.", "Correct PROVIDER, --platform or its settings.", exit_code=2
            ) from unknown
    if as_json:
        print_json([asdict(row) for row in rows])
    else:
        OUT.print(_table(rows))


async def _probe(
    settings: Settings, target: AccountTarget, store: OperationalStore, name: str
) -> list[Probed]:
    """Ask with a new provider each time: its requests are counted when it is closed."""
    from orchestration.resources.providers import open_provider  # noqa: PLC0415  loads Dagster

    rows: list[Probed] = []
    post: PostTarget | None = None
    for capability in CAPABILITIES:
        before = _spent(store, target.platform, name)
        async with open_provider(settings, target.platform) as provider:
            fetched = _request(capability, provider, target, post)
            report = await fetched if fetched else None
        after = _spent(store, target.platform, name)
        rows.append(
            _row(capability, report, after.requests - before.requests, after.usd - before.usd)
        )
        if report and report.account:
            ids = report.account.platform_user_id, report.account.platform_alt_id
            target = replace(target, platform_user_id=ids[0], platform_alt_id=ids[1])
        newest = newest_of([video.platform_video_id for video in report.videos] if report else [])
        if newest and not post:
            post = PostTarget(
                platform=target.platform,
                platform_video_id=newest,
                handle=target.handle,
                platform_user_id=target.platform_user_id,
            )
    return rows


def _request(
    capability: str, provider: Provider, target: AccountTarget, post: PostTarget | None
) -> Fetched | None:
    if capability == "profile":
        return provider.profile(target)
    if capability == "posts":
        since = datetime.now(UTC) - SINCE
        return provider.discover(replace(target, by_pages=True), since=since, known=())
    if post and capability == "one post":
        return provider.post(post)
    return provider.comments(post) if post and isinstance(provider, CommentProvider) else None


def _spent(store: OperationalStore, platform: str, provider: str) -> Spent:
    """Return the platform's requests, which include the provider's, and the provider's dollars."""
    with store.read_session() as session:
        by_name = spent_on(session, store.clock().date())
    return Spent(by_name.get(platform, Spent()).requests, by_name.get(provider, Spent()).usd)


def _row(capability: str, report: ScrapeReport | None, requests: int, usd: Decimal) -> Probed:
    if report is None:
        return Probed(capability, "not asked", "no post, or not offered", 0, [], [], requests, usd)
    comments = report.comment_crawl.comments if report.comment_crawl else ()
    account = (report.account,) if report.account and capability == "profile" else ()
    readings: tuple[Any, ...] = comments if capability == "comments" else account or report.videos
    known: dict[bool, list[str]] = {True: [], False: []}
    for field in fields(readings[0]) if readings else ():
        if field.name not in ALWAYS_KNOWN:
            known[getattr(readings[0], field.name) is not None].append(field.name)
    fetched = (report.outcome.value, report.detail, len(readings), known[True], known[False])
    return Probed(capability, *fetched, requests, usd)


def _table(rows: list[Probed]) -> Table:
    table = Table("asked", "outcome", "read", "fields known", "requests", "cost", box=None)
    table.add_column("not known", overflow="fold")
    for row in rows:
        outcome = f"{row.outcome}: {row.detail}" if row.detail else row.outcome
        known = f"{len(row.known)} of {len(row.known) + len(row.unknown)}"
        cost = f"${row.usd.normalize():f}"
        cells = (outcome, str(row.read), known, str(row.requests), cost, ", ".join(row.unknown))
        table.add_row(row.capability, *cells)
    return table
