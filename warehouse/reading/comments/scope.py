"""The scope of queries on comments, as conditions on marts.comments and its daily sums."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal
from uuid import UUID

Signal = Literal[
    "app_question",
    "signup_intent",
    "ad_disclosure",
    "risk",
    "pay_talk",
    "brand_mention",
    "competitor",
    "referral_spam",
]
SIGNALS: tuple[Signal, ...] = (
    "app_question",
    "signup_intent",
    "ad_disclosure",
    "risk",
    "pay_talk",
    "brand_mention",
    "competitor",
    "referral_spam",
)
"""All signals, in the contract's order."""
FLAGGED: tuple[Signal, ...] = ("ad_disclosure", "risk")
"""The signals of a comment that is `flagged`."""

OF_CAMPAIGN = """
    video_id in (
        select video_id
        from marts.campaign_videos
        where campaign_id = $campaign_id
    )
"""
CONDITIONS = {
    "organization_id": "organization_id = $organization_id",
    "project_id": "project_id = $project_id",
    "campaign_id": OF_CAMPAIGN,
    "creator_id": "creator_id = $creator_id",
    "platform": "platform = $platform",
}


@dataclass(frozen=True, kw_only=True)
class CommentScope:
    """Comments on the counted posts of a project, a campaign, a creator, a platform."""

    organization_id: UUID
    project_id: UUID
    campaign_id: UUID | None = None
    creator_id: UUID | None = None
    platform: str | None = None

    def conditions(self) -> str:
        """Return the condition for posts in scope, with the names of `parameters`."""
        return " and ".join(CONDITIONS[name] for name in self.parameters())

    def parameters(self) -> Mapping[str, Any]:
        return {name: value for name in CONDITIONS if (value := getattr(self, name)) is not None}


@dataclass(frozen=True, kw_only=True)
class Days:
    """The days `first` to `last`, both inclusive, in the publication's zone."""

    first: date
    last: date
