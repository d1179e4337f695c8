"""Answers about scrape jobs (decisions.md, Creators, accounts, videos)."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel

JobType = Literal["creator_profiles", "video_stats", "discover_videos"]


class ScrapeJob(BaseModel):
    """A scrape that was asked for. `error` is one line for people, once it failed."""

    id: UUID
    job_type: JobType
    status: Literal["queued", "running", "succeeded", "failed"]
    error: str | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    videos_seen: int | None
