"""A fallback chain: several providers of one platform, the next one after a refusal.

A refusal is about the platform, us or the network. A deleted or private account or post is an
answer and ends the chain. A provider for some accounts only is skipped for all others. It shows
their own posts, so for a post that it lacks the next provider is asked: another author's list may
have it. An answer without the views of a video, or of another post that had some, leaves the chain
open for them.
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
from scrapers.refusing import REFUSALS
from scrapers.snapshots import AccountTarget, CommentCrawl, PostTarget, ScrapeReport

_LONGEST_DETAIL = 300
ProviderT = TypeVar("ProviderT", bound=Provider)


class FallbackChain:
    """Asks its members in order, and keeps what a member read before it refused.

    Each reading keeps its source; a report has the source of the last member asked.
    """

    def __init__(self, members: Sequence[Provider]) -> None:
        self.platform = members[0].platform
        self.name = ",".join(member.name for member in members)
        self.posts_a_call = max(_posts_a_call(member) for member in members)
        self._members = members

    async def profile(self, target: AccountTarget) -> ScrapeReport:
        members = await _serving(self._members, target)
        return await _first_answer(members, lambda member: member.profile(target))

    def lists_without_profile(self, target: AccountTarget) -> bool:
        """Return whether a member can list this account's posts without its profile."""
        lists = (member for member in self._members if isinstance(member, ListProvider))
        return any(member.lists_without_profile(target) for member in lists)

    async def discover(
        self, target: AccountTarget, *, since: datetime, known: Collection[str]
    ) -> ScrapeReport:
        """Page through an account's posts; two members may both read a post.

        A listing continues with the member that began it, skipping those before it.
        """
        members = _from_who_began(await _serving(self._members, target), target)
        return await _first_answer(
            members, lambda member: member.discover(target, since=since, known=known)
        )

    async def post(self, target: PostTarget) -> ScrapeReport:
        members = await _serving(self._members, target)
        return await _first_answer(members, lambda member: member.post(target), target)

    async def counters(self, targets: Sequence[PostTarget]) -> Sequence[ScrapeReport]:
        """Read posts: each member is asked for the posts that no earlier member answered."""
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
                reports[number] = _joined(before, after, member) if before else after
                if not _is_open(report, member, targets[number]):
                    answered.add(number)
        return [reports[number] for number in range(len(targets))]

    async def aclose(self) -> None:
        """Close every member, even if one fails."""
        failed: Exception | None = None
        for member in self._members:
            try:
                await member.aclose()
            except Exception as error:  # custom classes may raise anything
                failed = failed or error
        if failed:
            raise failed


class CommentFallbackChain(FallbackChain):
    """A chain in which some members can read comments; the others are skipped for them."""

    def __init__(self, members: Sequence[Provider]) -> None:
        super().__init__(members)
        self._of_comments = [member for member in members if isinstance(member, CommentProvider)]

    async def comments(self, target: PostTarget) -> ScrapeReport:
        return await _first_answer(self._of_comments, lambda member: member.comments(target))


def with_fallbacks(members: Sequence[Provider]) -> Provider:
    """Return the only member, or a chain of all."""
    if len(members) == 1:
        return members[0]
    reads_comments = any(isinstance(member, CommentProvider) for member in members)
    return CommentFallbackChain(members) if reads_comments else FallbackChain(members)


def _posts_a_call(provider: Provider) -> int:
    return provider.posts_a_call if isinstance(provider, CountersProvider) else 1


async def _counters(provider: Provider, targets: Sequence[PostTarget]) -> list[ScrapeReport]:
    """Read posts, as many per request as the provider can."""
    if not isinstance(provider, CountersProvider):
        return [await provider.post(target) for target in targets]
    size, reports = provider.posts_a_call, list[ScrapeReport]()
    for first in range(0, len(targets), size):
        reports += await provider.counters(targets[first : first + size])
    return reports


def _is_open(report: ScrapeReport, member: Provider, post: PostTarget | None = None) -> bool:
    """Return whether to ask the next member too."""
    is_refused = report.outcome in REFUSALS
    return is_refused or _is_not_own(report, member) or _lacks_views(report, post)


def _is_not_own(report: ScrapeReport, member: Provider) -> bool:
    """Return whether the post is not among the account's own, which does not make it gone."""
    return report.outcome is Outcome.POST_UNAVAILABLE and isinstance(member, ChoosyProvider)


def _lacks_views(report: ScrapeReport, post: PostTarget | None) -> bool:
    is_awaited = post is not None and post.has_views and report.outcome is Outcome.OK
    return is_awaited and all(video.view_count is None for video in report.videos)


async def _serving(
    members: Sequence[Provider], target: AccountTarget | PostTarget
) -> Sequence[Provider]:
    """Return the members that serve the target, or all if none does, so that they report it."""
    serving = [
        member
        for member in members
        if not isinstance(member, ChoosyProvider) or await member.serves(target)
    ]
    return serving or members


def _from_who_began(members: Sequence[Provider], target: AccountTarget) -> Sequence[Provider]:
    """Return the members, starting with the one that has a cursor for the target."""
    began = (at for at, member in enumerate(members) if target.cursor_of(member.name) is not None)
    return members[next(began, 0) :]


async def _first_answer(
    members: Sequence[ProviderT],
    ask: Callable[[ProviderT], Awaitable[ScrapeReport]],
    post: PostTarget | None = None,
) -> ScrapeReport:
    """Ask members until one does not refuse; the report names each refusal."""
    [current, *others] = members
    report = last = _named(await ask(current), current)
    for member in others:
        if not _is_open(last, current, post):
            break
        last, current = _named(await ask(member), member), member
        report = _joined(report, last, current)
    return report


def _named(report: ScrapeReport, member: Provider) -> ScrapeReport:
    """Return the report, with the provider's name in a refusal."""
    if report.outcome not in REFUSALS:
        return report
    words = f": {report.detail}" if report.detail else ""
    detail = f"{member.name} ended {report.outcome}{words}"
    return replace(report, detail=detail[:_LONGEST_DETAIL])


def _joined(before: ScrapeReport, after: ScrapeReport, member: Provider) -> ScrapeReport:
    """Return the report of a later member with earlier readings, or the earlier one if that was OK.

    A refusal counts before a post that is not among an account's own. It requests a wait only if
    both do; otherwise there was an answer or another problem.
    """
    waits = (before.wait_seconds, after.wait_seconds)
    is_read = before.outcome is Outcome.OK and after.outcome is not Outcome.OK
    is_refused = before.outcome in REFUSALS and _is_not_own(after, member)
    return replace(
        before if is_read or is_refused else after,
        detail="; ".join(filter(None, (before.detail, after.detail))) or None,
        account=after.account or before.account,
        videos=before.videos + after.videos,
        comment_crawl=_both(before.comment_crawl, after.comment_crawl),
        goes_on=after.goes_on or (before.goes_on if after.outcome in REFUSALS else None),
        was_sent=before.was_sent or after.was_sent,
        wait_seconds=None if None in waits else min(filter(None, waits), default=0.0),
    )


def _both(before: CommentCrawl | None, after: CommentCrawl | None) -> CommentCrawl | None:
    """Return the later crawl, with comments that only the earlier one read."""
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
