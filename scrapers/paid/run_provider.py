"""A commercial provider with runs as a Provider: one page per run, many posts per run."""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime

from scrapers.discovery import TimelinePaging
from scrapers.findings import to_a_known_post
from scrapers.outcomes import Outcome, ScrapeError
from scrapers.paid.answers import ProviderAnswer
from scrapers.paid.dialect import RunDialect, RunTargets
from scrapers.paid.provider import Client, PaidProvider
from scrapers.paid.settings import POST
from scrapers.provider import Clock
from scrapers.reports import failed
from scrapers.snapshots import AccountTarget, PageCursor, PostTarget, ScrapeReport


class RunProvider(PaidProvider[RunTargets]):
    """Runs a commercial provider in its dialect."""

    def __init__(self, dialect: RunDialect, client: Client[RunTargets], *, clock: Clock) -> None:
        super().__init__(dialect, client, clock=clock)
        self._of_many = dialect
        self._runs = dialect.routes.require_runs()
        self.posts_a_call = self._runs.at_once

    async def counters(self, targets: Sequence[PostTarget]) -> Sequence[ScrapeReport]:
        """Read many posts in one run; one report each, in order."""
        try:
            with self._client.circuit(POST):
                params = self._of_many.many_posts_params(targets)
                answer = await self._client.ask(POST, params)
        except ScrapeError as error:
            return [failed(error, self._source(POST)) for _ in targets]
        return list(self._reports(answer, targets))

    def _reports(
        self, answer: ProviderAnswer, targets: Sequence[PostTarget]
    ) -> Iterator[ScrapeReport]:
        for target in targets:
            source = self._source(POST)
            try:
                video = self._read(answer, target, about=target.platform_video_id)
            except ScrapeError as error:
                yield failed(error, source)
            else:
                yield ScrapeReport(outcome=Outcome.OK, source=source, videos=(video,))

    def _paging(
        self, _target: AccountTarget, since: datetime, known: Collection[str]
    ) -> TimelinePaging:
        """Return the paging: posts are priced one by one, and one run reads many due posts."""
        limits = self._dialect.routes.timeline
        return TimelinePaging(
            since=since,
            known=known,
            pages=limits.pages,
            fruitless_pages=limits.fruitless_pages,
            far_enough=to_a_known_post,
        )

    def _shortfall(self, target: AccountTarget, paging: TimelinePaging) -> str | None:
        """Return the provider's limit or the profile's count, if older posts were not shown.

        The list is complete nevertheless: another request would cost as much and return the same.
        """
        post_count, most = paging.findings.seen_count, self._runs.depths[-1]
        if not paging.ran_out:
            return None
        if post_count >= most:
            return f"{self.name} lists the newest {most} posts; older ones are missing"
        if target.video_count is not None and post_count < target.video_count:
            return f"{self.name} lists {post_count} posts; the profile has {target.video_count}"
        return None

    def _page_cursor(self, _paging: TimelinePaging) -> PageCursor | None:
        """Return None: a longer list starts again and is paid for as a whole."""
        return None
