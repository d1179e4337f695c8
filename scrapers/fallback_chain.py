"""Several providers of one platform, asked in turn: the next one where one refuses.

A refusal speaks of the platform, of us or of the way between. That an account or post is gone or
private is an answer, and nobody else is asked about it. Who serves some accounts only is passed
over for all others. It shows their own posts: the next one is asked about a post that is not among
them, because another author's list may have it.
"""

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TypeVar

from scrapers.outcomes import Outcome
from scrapers.provider import (
    ChoosyProvider,
    CommentProvider,
    CountersProvider,
    ListProvider,
    Provider,
)
from scrapers.remedies import REFUSALS
from scrapers.snapshots import AccountTarget, CommentCrawl, PostTarget, ScrapeReport

_LONGEST_DETAIL = 300
ProviderT = TypeVar("ProviderT", bound=Provider)


class FallbackChain:
    """Asks its members in their order. What one saw before it refused is kept.

    Each reading keeps the source it came from; a report's own source is that of the last asked.
    """

    def __init__(self, members: Sequence[Provider]) -> None:
        self.platform = members[0].platform
        self.name = ",".join(member.name for member in members)
        self.posts_a_call = max(_posts_a_call(member) for member in members)
        self._members = members

    async def profile(self, target: AccountTarget) -> ScrapeReport:
        """Read a profile."""
        members = await _serving(self._members, target)
        return await _first_answer(members, lambda member: member.profile(target))

    def lists_without_profile(self, target: AccountTarget) -> bool:
        """Tell whether any member can list this account's posts without its profile."""
        lists = (member for member in self._members if isinstance(member, ListProvider))
        return any(member.lists_without_profile(target) for member in lists)

    async def discover(
        self, target: AccountTarget, *, since: datetime, known: Collection[str]
    ) -> ScrapeReport:
        """Page through an account's posts. A post may be read twice, by two members.

        Where one has begun it goes on: nobody before it is asked.
        """
        members = _from_who_began(await _serving(self._members, target), target)
        return await _first_answer(
            members, lambda member: member.discover(target, since=since, known=known)
        )

    async def post(self, target: PostTarget) -> ScrapeReport:
        """Read one post."""
        members = await _serving(self._members, target)
        return await _first_answer(members, lambda member: member.post(target))

    async def counters(self, targets: Sequence[PostTarget]) -> Sequence[ScrapeReport]:
        """Read posts: each member is asked about those that nobody before it answered for."""
        serving = [await _serving(self._members, target) for target in targets]
        reports: dict[int, ScrapeReport] = {}
        answered = set[int]()
        for member in self._members:
            due = [
                number
                for number, members in enumerate(serving)
                if member in members and number not in answered
            ]
            read = await _counters(member, [targets[number] for number in due])
            for number, report in zip(due, read, strict=True):
                before, after = reports.get(number), _named(report, member)
                reports[number] = _joined(before, after) if before else after
                if not _is_open(report, member):
                    answered.add(number)
        return [reports[number] for number in range(len(targets))]

    async def aclose(self) -> None:
        """Let go of every member's connections, also where one fails to."""
        failed: Exception | None = None
        for member in self._members:
            try:
                await member.aclose()
            except Exception as error:  # whatever a user's own class raises
                failed = failed or error
        if failed:
            raise failed


class CommentFallbackChain(FallbackChain):
    """A chain some of whose members can read comments; the others are not asked for any."""

    def __init__(self, members: Sequence[Provider]) -> None:
        super().__init__(members)
        self._of_comments = [member for member in members if isinstance(member, CommentProvider)]

    async def comments(self, target: PostTarget) -> ScrapeReport:
        """Page through a post's comments."""
        return await _first_answer(self._of_comments, lambda member: member.comments(target))


def with_fallbacks(members: Sequence[Provider]) -> Provider:
    """Return one provider that asks all: the only member itself, or a chain."""
    if len(members) == 1:
        return members[0]
    reads_comments = any(isinstance(member, CommentProvider) for member in members)
    return CommentFallbackChain(members) if reads_comments else FallbackChain(members)


def _posts_a_call(provider: Provider) -> int:
    return provider.posts_a_call if isinstance(provider, CountersProvider) else 1


async def _counters(provider: Provider, targets: Sequence[PostTarget]) -> list[ScrapeReport]:
    """Read posts, as many at once as the provider can."""
    if not isinstance(provider, CountersProvider):
        return [await provider.post(target) for target in targets]
    size, reports = provider.posts_a_call, list[ScrapeReport]()
    for first in range(0, len(targets), size):
        reports += await provider.counters(targets[first : first + size])
    return reports


def _is_open(report: ScrapeReport, member: Provider) -> bool:
    """Tell whether the next member is to be asked too."""
    is_not_own = report.outcome is Outcome.POST_UNAVAILABLE and isinstance(member, ChoosyProvider)
    return is_not_own or report.outcome in REFUSALS


async def _serving(
    members: Sequence[Provider], target: AccountTarget | PostTarget
) -> Sequence[Provider]:
    """Return those that can be asked about the target; where none can, all, to say so."""
    serving = [
        member
        for member in members
        if not isinstance(member, ChoosyProvider) or await member.serves(target)
    ]
    return serving or members


def _from_who_began(members: Sequence[Provider], target: AccountTarget) -> Sequence[Provider]:
    """Return the members from the one on that gave the place to go on at."""
    began = (at for at, member in enumerate(members) if target.cursor_of(member.name) is not None)
    return members[next(began, 0) :]


async def _first_answer(
    members: Sequence[ProviderT], ask: Callable[[ProviderT], Awaitable[ScrapeReport]]
) -> ScrapeReport:
    """Ask until one does not refuse; where all do, tell of each."""
    [current, *others] = members
    report = last = _named(await ask(current), current)
    for member in others:
        if not _is_open(last, current):
            break
        last, current = _named(await ask(member), member), member
        report = _joined(report, last)
    return report


def _named(report: ScrapeReport, member: Provider) -> ScrapeReport:
    """Return the report of a refusal with the name of who was refused."""
    if report.outcome not in REFUSALS:
        return report
    words = f": {report.detail}" if report.detail else ""
    detail = f"{member.name} ended {report.outcome}{words}"
    return replace(report, detail=detail[:_LONGEST_DETAIL])


def _joined(before: ScrapeReport, after: ScrapeReport) -> ScrapeReport:
    """Return the later report with what was seen before it, or the earlier one's answer if any.

    It asks for a wait only where both do: else there was an answer, or another thing to mend.
    """
    waits = (before.wait_seconds, after.wait_seconds)
    is_answered = before.outcome not in REFUSALS and after.outcome in REFUSALS
    return replace(
        before if is_answered else after,
        detail="; ".join(filter(None, (before.detail, after.detail))),
        account=after.account or before.account,
        videos=before.videos + after.videos,
        comment_crawl=_both(before.comment_crawl, after.comment_crawl),
        goes_on=after.goes_on or (before.goes_on if after.outcome in REFUSALS else None),
        was_sent=before.was_sent or after.was_sent,
        wait_seconds=None if None in waits else min(filter(None, waits), default=0.0),
    )


def _both(before: CommentCrawl | None, after: CommentCrawl | None) -> CommentCrawl | None:
    """Return the later crawl with the comments that only the earlier one saw."""
    if before is None or after is None:
        return after or before
    seen = {comment.platform_comment_id for comment in after.comments}
    others = tuple(
        comment for comment in before.comments if comment.platform_comment_id not in seen
    )
    total = after.platform_comment_count
    return replace(
        after,
        comments=after.comments + others,
        platform_comment_count=before.platform_comment_count if total is None else total,
    )
