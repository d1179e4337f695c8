"""A commercial provider that answers by runs as a Provider: one page a run, many posts a run."""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime

from scrapers.discovery import TimelinePaging
from scrapers.outcomes import Outcome, ScrapeError
from scrapers.paid.answers import ProviderAnswer
from scrapers.paid.dialect import RunDialect, RunTargets
from scrapers.paid.provider import Client, PaidProvider
from scrapers.paid.settings import POST
from scrapers.provider import Clock
from scrapers.reports import failed
from scrapers.snapshots import AccountTarget, PageCursor, PostTarget, ScrapeReport
from scrapers.stopping import to_a_known_post


class RunProvider(PaidProvider[RunTargets]):
    """Lets a commercial provider collect, in its dialect."""

    def __init__(self, dialect: RunDialect, client: Client[RunTargets], *, clock: Clock) -> None:
        super().__init__(dialect, client, clock=clock)
        self._of_many = dialect
        runs = dialect.routes.runs
        self.posts_a_call = runs.at_once if runs else 1

    async def counters(self, targets: Sequence[PostTarget]) -> Sequence[ScrapeReport]:
        """Read many posts in one run: a report for each, in their order."""
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
        """Begin to page: posts are paid for one by one, and many that are due read in one run."""
        limits = self._dialect.routes.timeline
        return TimelinePaging(
            since=since,
            known=known,
            pages=limits.pages,
            fruitless_pages=limits.fruitless_pages,
            far_enough=to_a_known_post,
        )

    def _shortfall(self, target: AccountTarget, paging: TimelinePaging) -> str | None:
        """Name the provider's limit, or the profile's count, where older posts were not shown.

        The list is complete nevertheless: to ask again would cost as much and bring the same.
        """
        post_count, runs = paging.findings.seen_count, self._dialect.routes.runs
        if not paging.ran_out or runs is None:
            return None
        if post_count >= runs.depths[-1]:
            return f"{self.name} lists the newest {runs.depths[-1]} posts; older ones are missing"
        if target.video_count is not None and post_count < target.video_count:
            return f"{self.name} lists {post_count} posts; the profile counts {target.video_count}"
        return None

    def _page_cursor(self, _paging: TimelinePaging) -> PageCursor | None:
        """Nowhere: a longer list begins anew, and is paid for as a whole."""
        return None
