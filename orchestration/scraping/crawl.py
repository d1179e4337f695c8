"""Many visits beside each other, landed in bounded batches.

Workers take the next visit from one iterator; what they saw is landed every `LOOKS_PER_BATCH`
looks (sooner where they brought many comments), so that memory is bounded and a killed crawl loses
at most one batch.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from uuid import UUID

from orchestration.scraping.looks import Look, comments_of, landing_rows
from scrapers.outcomes import MISSING, Outcome
from scrapers.refusing import NOT_THERE, FetchLog, hidden
from scrapers.snapshots import PostTarget
from warehouse.landing.writer import LandingWriter

LOOKS_PER_BATCH = 200
COMMENTS_PER_BATCH = 20_000

Visit = Callable[[], AsyncIterator[Look]]
OnLook = Callable[[Look], None]


@dataclass
class Tally:
    """What a crawl saw: outcomes by their name, counts of landed rows, the landed batches."""

    outcomes: Counter[str] = field(default_factory=Counter)
    log: FetchLog = field(default_factory=FetchLog)
    profiles: int = 0
    posts: int = 0
    comments: int = 0
    batches: list[UUID] = field(default_factory=list)
    jobs: set[UUID] = field(default_factory=set)
    """The queued jobs of which a look ended."""
    wait_seconds: float | None = None
    """How long the platform still wants to be left alone, where that ended the crawl."""
    read: set[str] = field(default_factory=set)
    """Ids of the posts whose counters were shown, or asked for, on the way."""

    @property
    def looks(self) -> int:
        """How many looks ended, in whatever way."""
        return self.outcomes.total()

    @property
    def is_cut(self) -> bool:
        """Whether the rest is left for another crawl."""
        return self.wait_seconds is not None

    def note(self, look: Look) -> None:
        """Count a look that ended, and note what was read."""
        if not look.goes_on:
            self.outcomes[look.report.outcome.value] += 1
            self.log.note(look.job_type, look.report.outcome, look.finished_at)
            if look.job_id is not None:
                self.jobs.add(look.job_id)
        self.read.update(v.platform_video_id for v in look.report.videos if v.is_counted)
        if isinstance(look.target, PostTarget):
            self.read.add(look.target.platform_video_id)


class Buffer:
    """Gathers looks, lands them as batches, and has each registered at once.

    Jobs and comment crawls end at registration: until then others fetch the same again. After each
    batch `renew` is called: the crawl under way holds what it has claimed for another lease.
    """

    def __init__(
        self,
        writer: LandingWriter,
        on_look: OnLook,
        register: Callable[[UUID], object] | None = None,
    ) -> None:
        self._writer = writer
        self._on_look = on_look
        self._register = register
        self._looks: list[Look] = []
        self._pauses: list[Look] = []
        self._comments = 0
        self.tally = Tally()
        self.renew: Callable[[], object] | None = None
        self._renewing = asyncio.Lock()

    async def add(self, look: Look) -> None:
        """Keep a look; land the batch it fills. One that was left ends the crawl instead.

        Where that is the first, it lands as refused, though it is still to be taken: reports of
        platforms that refuse go by what landed. A listing's page lands at once: whoever takes over
        goes on behind it.
        """
        if look.was_left:
            has_begun = self.tally.is_cut or self.tally.looks or self._looks
            if not has_begun and look.job_type != "video_comments":
                self._pauses.append(replace(look, job_id=None))
            self.tally.wait_seconds = look.report.wait_seconds
            return
        self._looks.append(look)
        self._comments += len(comments_of(look))
        if not look.goes_on:
            self._on_look(look)
        is_full = len(self._looks) >= LOOKS_PER_BATCH or self._comments >= COMMENTS_PER_BATCH
        if is_full or look.listing:
            await self.land()

    async def land(self) -> None:
        """Land what is in the buffer; other workers go on filling the next one meanwhile."""
        looks, self._looks, self._comments = behind_a_wall(self._looks), [], 0
        pauses, self._pauses = self._pauses, []
        if not looks and not pauses:
            return
        for look in looks:
            self.tally.note(look)
        rows = landing_rows([*looks, *pauses])
        batch_id = await asyncio.to_thread(
            self._writer.land,
            profiles=rows.profiles,
            posts=rows.posts,
            outcomes=rows.outcomes,
            comments=rows.comments,
            comment_walks=rows.comment_walks,
            listings=rows.listings,
        )
        self.tally.profiles += len(rows.profiles)
        self.tally.posts += len(rows.posts)
        self.tally.comments += len(rows.comments)
        self.tally.batches.append(batch_id)
        for look in looks:
            for done in look.when_landed:
                await done()
        if self._register:
            await asyncio.to_thread(self._register, batch_id)
        async with self._renewing:
            if self.renew:
                await asyncio.to_thread(self.renew)


def behind_a_wall(looks: list[Look]) -> list[Look]:
    """Return the looks; where a wall hides what was seen before, missing ones are refusals."""
    known = [
        (look.target.known_as, look.report.outcome)
        for look in looks
        if look.target.known_as is not None
    ]
    if not hidden(known):
        return looks
    return [
        replace(
            look,
            report=replace(look.report, outcome=Outcome.BLOCKED_SILENT, detail=NOT_THERE),
        )
        if look.target.known_as is not None and look.report.outcome in MISSING
        else look
        for look in looks
    ]


async def crawl(
    visits: Iterable[Visit],
    buffer: Buffer,
    *,
    concurrency: int,
    renew: Callable[[], object] | None = None,
) -> None:
    """Make all visits, at most `concurrency` at a time. What was seen lands also when one fails.

    Where a look is left because the platform wants a longer pause, so are all visits to come of
    this crawl: another beside it, by the same buffer, may be of another platform. `renew` is called
    after each batch that lands.
    """
    waiting, cut = iter(visits), asyncio.Event()
    buffer.renew = renew
    try:
        async with asyncio.TaskGroup() as workers:
            for _ in range(concurrency):
                workers.create_task(_work(waiting, buffer, cut))
    except ExceptionGroup as broken:
        raise broken.exceptions[0] from None  # the first to break is what there is to mend
    finally:
        await buffer.land()
        buffer.renew = None


async def _work(waiting: Iterator[Visit], buffer: Buffer, cut: asyncio.Event) -> None:
    while not cut.is_set() and (visit := next(waiting, None)) is not None:
        async for look in visit():
            await buffer.add(look)
            if look.was_left:
                cut.set()
