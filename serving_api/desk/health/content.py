"""Content of the health page: problems of tracking and their remedies."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import cast
from uuid import UUID

from serving_api.desk.choices import names_of
from serving_api.desk.health.stale import once_each, signals_of
from serving_api.desk.health.words import (
    BROKEN,
    CONNECT,
    LOOK_FOR,
    OPEN_UP,
    RECONNECT,
    REFUSED_CONNECTION,
    Words,
    words_of,
)
from serving_api.desk.needs import at_least
from serving_api.kit.request_context import RequestContext
from serving_api.resources.payouts.accruals.summary import plural
from serving_api.resources.programs.program_health import loading
from serving_api.resources.programs.program_health.gap_schemas import (
    AccountRef,
    BrokenConnection,
    DisabledWebhook,
    MissingAccount,
    RefusedAccount,
    RefusedConnection,
    RefusedPlatform,
    StaleAccount,
    TrackingGaps,
    UnreadViews,
)
from serving_api.resources.programs.program_health.goals import disabled_webhooks
from serving_api.resources.programs.program_health.presenter import Presenter
from serving_api.resources.programs.program_health.repository import MOST
from serving_api.resources.programs.program_health.schemas import (
    HealthMeta,
    HealthQuery,
    Signal,
)
from serving_api.resources.programs.project_coverage import ProjectCoverage, read_coverage
from warehouse.fetch_schedule.freshness import WORDS, Freshness
from warehouse.operational.models import Organization
from warehouse.platforms import PLATFORM_NAMES

RUNS_COME_WITHIN = timedelta(hours=36)
"""Every organization has at least one pipeline run a day; the rest is its duration."""


@dataclass(frozen=True, slots=True)
class PlatformState:
    """A platform and its refusals; None if it responds."""

    name: str
    refused: RefusedPlatform | None
    words: Words | None


@dataclass(frozen=True, slots=True)
class Case:
    """An account with a problem, its description, and since when."""

    account: AccountRef
    creator: str
    platform: str
    text: str
    since: datetime | None = None


@dataclass(frozen=True, slots=True)
class Trouble:
    """A kind of account problem, its remedy, and up to 25 accounts.

    `connects`: a connect link for the creator is the remedy.
    """

    title: str
    remedy: str
    cases: Sequence[Case]
    connects: bool = False


@dataclass(frozen=True, slots=True)
class Health:
    signals: Sequence[Signal]
    webhooks: Sequence[DisabledWebhook]
    meta: HealthMeta
    late: timedelta | None
    freshness: str
    first_checks: int
    coverage: ProjectCoverage
    platforms: Sequence[PlatformState]
    troubles: Sequence[Trouble]
    unread: Sequence[UnreadViews]
    names: Mapping[UUID, str]

    @property
    def unread_posts(self) -> str:
        """How many posts are unread, up to the limit of the list."""
        return at_least(self.unread, MOST, "post")

    @property
    def failed(self) -> int:
        """How many planned checks of views failed."""
        return self.coverage.readings_due - self.coverage.readings_came

    @property
    def causes(self) -> list[str]:
        """Each problem that the page lists, in a few words."""
        causes = [f"{each.name} refuses checks" for each in self.platforms if each.refused]
        causes += [each.title for each in self.troubles]
        if self.unread:
            causes.append(f"views of {self.unread_posts} could not be read")
        return causes


def health_of(context: RequestContext, project_id: UUID) -> Health:
    """Return the health of a project. Raises NotFound."""
    inputs = loading.load(context, project_id, HealthQuery())
    tracking = loading.tracking_health(context.session, inputs)
    gaps = once_each(context.session, inputs, tracking.gaps)
    private = tracking.private_accounts
    unread = Presenter(context.session, inputs.scope, inputs.published).unread_views()
    owners = {account.creator_id for account in (*_accounts(gaps), *private)}
    names = names_of(context, owners | {post.creator_id for post in unread if post.creator_id})
    return Health(
        signals=list(signals_of(tracking)),
        webhooks=disabled_webhooks(context.session, context.organization_id),
        meta=inputs.meta,
        late=_late(inputs.meta),
        freshness=_freshness(context),
        first_checks=gaps.first_checks,
        coverage=read_coverage(context, project_id),
        platforms=list(_platforms(gaps.refused_platforms)),
        troubles=[trouble for trouble in _troubles(gaps, private, _Naming(names)) if trouble.cases],
        unread=unread,
        names=names,
    )


def _late(meta: HealthMeta) -> timedelta | None:
    """Return the age of the numbers if a pipeline run is overdue."""
    age = meta.computed_at - meta.as_of if meta.as_of else timedelta(0)
    return age if age > RUNS_COME_WITHIN else None


def _freshness(context: RequestContext) -> str:
    """Return what the organization's freshness means for its numbers."""
    organization = context.session.get_one(Organization, context.organization_id)
    name = organization.freshness
    return f"Schedule: {name}, while fetching runs all day. {WORDS[cast('Freshness', name)]}"


def _platforms(refusing: Iterable[RefusedPlatform]) -> Iterator[PlatformState]:
    by_name = {str(platform.platform): platform for platform in refusing}
    for platform, name in PLATFORM_NAMES.items():
        refused = by_name.get(platform)
        yield PlatformState(name, refused, words_of(refused.outcome) if refused else None)


def _accounts(gaps: TrackingGaps) -> Iterator[AccountRef]:
    yield from gaps.refused_accounts.accounts
    yield from gaps.broken_connections.accounts
    yield from gaps.refused_connections.accounts
    yield from gaps.stale_scrapes.accounts
    yield from gaps.stale_discovery.accounts
    yield from gaps.missing_videos.accounts


@dataclass(frozen=True, slots=True)
class _Naming:
    names: Mapping[UUID, str]

    def case(self, account: AccountRef, text: str, since: datetime | None = None) -> Case:
        creator, platform = self.names[account.creator_id], PLATFORM_NAMES[account.platform]
        return Case(account, creator, platform, text, since)

    def broken(self, connection: BrokenConnection) -> Case:
        return self.case(
            connection, f"{BROKEN[connection.broken_reason]}, detected", connection.broken_at
        )

    def refused_connection(self, connection: RefusedConnection) -> Case:
        return self.case(connection, "Authorization refused since", connection.refused_since)

    def refused(self, account: RefusedAccount) -> Case:
        share = f"{account.refused:,} of {plural(account.looks, 'check')} refused"
        return self.case(
            account, f"{share}. {words_of(account.outcome).means} Since", account.refused_since
        )

    def stale(self, account: StaleAccount) -> Case:
        text = "Last checked" if account.last_at else "No check succeeded yet"
        return self.case(account, text, account.last_at)

    def missing(self, account: MissingAccount) -> Case:
        return self.case(account, f"{plural(account.missing, 'post')} missing here")


def _troubles(
    gaps: TrackingGaps, private: Sequence[AccountRef], show: _Naming
) -> Iterator[Trouble]:
    yield Trouble(
        f"{plural(gaps.broken_connections.count, 'connection')} broken",
        RECONNECT,
        [show.broken(account) for account in gaps.broken_connections.accounts],
        connects=True,
    )
    yield Trouble(
        f"{plural(gaps.refused_connections.count, 'connection')} refused",
        REFUSED_CONNECTION,
        [show.refused_connection(account) for account in gaps.refused_connections.accounts],
        connects=True,
    )
    yield Trouble(
        f"{plural(gaps.refused_accounts.count, 'account')} refused",
        CONNECT,
        [show.refused(account) for account in gaps.refused_accounts.accounts],
        connects=True,
    )
    yield Trouble(
        at_least(private, MOST, "private account"),
        OPEN_UP,
        [show.case(account, "Private") for account in private],
        connects=True,
    )
    yield Trouble(
        f"{plural(gaps.stale_scrapes.count, 'account')} not checked for 28 hours",
        LOOK_FOR,
        [show.stale(account) for account in gaps.stale_scrapes.accounts],
        connects=True,
    )
    yield Trouble(
        f"{plural(gaps.stale_discovery.count, 'account')} not checked for new posts for two days",
        "New posts are missing until a check succeeds. The next one adds them.",
        [show.stale(account) for account in gaps.stale_discovery.accounts],
    )
    yield Trouble(
        f"{plural(gaps.missing_videos.count, 'post')} not found",
        "The platform counts more posts than are tracked here. Its count includes hidden posts."
        " Public posts can be added by URL in the API.",
        [show.missing(account) for account in gaps.missing_videos.accounts],
    )
