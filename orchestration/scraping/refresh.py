"""Progress of a job for the counters of all posts of an account: where it goes on, what ends it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from orchestration.scraping.crawl import FETCHES_PER_BATCH
from orchestration.scraping.fetches import Fetch
from scrapers.refusing import REFUSALS
from warehouse.scrape_jobs.video_targets import VideoToScrape

MOST_REFUSALS = FETCHES_PER_BATCH
"""In a row, which end the job. If the platform may answer soon, it goes on later."""


@dataclass
class Refresh:
    """A job for all posts of an account. It is leased until the fetch that ends it has landed."""

    job_id: UUID
    groups_left: int
    refusals: int = 0
    """Since the last answer."""
    has_ended: bool = False

    def ends_with(self, fetches: Sequence[Fetch]) -> bool:
        """Return whether this group of posts ends the job: the last one, or one refusal too many.

        After a group with a fetch that a pause put off, the job goes on later.
        """
        refused = [fetch.report.outcome in REFUSALS for fetch in fetches]
        self.refusals = self.refusals + len(refused) if all(refused) else 0
        self.groups_left -= 1
        is_put_off = any(fetch.is_put_off for fetch in fetches)
        was_ended = self.has_ended
        self.has_ended |= is_put_off or not self.groups_left or self.refusals >= MOST_REFUSALS
        return self.has_ended and not (was_ended or is_put_off)


def unread_posts(posts: Sequence[VideoToScrape], since: datetime) -> Sequence[VideoToScrape]:
    """Return the posts without a reading since the request, where a killed or cut job goes on.

    If there is none, the last post's fetch ends the job.
    """
    unread = [post for post in posts if not (post.read_at and post.read_at >= since)]
    return unread or posts[-1:]
