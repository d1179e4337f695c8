"""Creators, accounts and videos as the contract has them, and refusals."""

from dataclasses import dataclass, field
from datetime import date, datetime

COUNTED = ("auto_tracked", "included", "direct_add")
STATUS_OF = {
    "invalid_body": 400,
    "invalid_account": 400,
    "duplicate_account": 400,
    "existing_videos_required": 400,
    "limit_reached": 402,
    "not_found": 404,
    "already_tracked": 409,
    "creator_inactive": 409,
    "handle_taken": 409,
    "already_deactivated": 409,
    "not_deactivated": 409,
    "conflict": 409,
    "unprocessable": 422,
}
"""The HTTP status of each code (contract, Errors)."""


class Refused(Exception):  # noqa: N818 (reads as what happened)
    """A call that changes nothing. The answer's code is one of `codes`: the contract has no order
    among several faults of one call."""

    def __init__(self, codes: list[str]) -> None:
        super().__init__(", ".join(codes))
        self.codes = codes


def refuse(**faults: bool) -> None:
    """Raise Refused if any of the faults, named by their codes, is there."""
    codes = [code for code, is_there in faults.items() if is_there]
    if codes:
        raise Refused(codes)


@dataclass(frozen=True)
class Deactivation:
    """Since when, with which choice for the videos, and whether because the creator was."""

    at: datetime
    choice: str
    reason: str | None
    via_creator: bool


@dataclass(frozen=True)
class Interval:
    """A deactivation that is over, and what was said of posts published in it."""

    since: datetime
    until: datetime
    missed_posts: str

    def holds(self, posted_at: datetime) -> bool:
        return self.since <= posted_at < self.until


@dataclass(eq=False)
class Creator:
    """`id` is the API's, once it answered."""

    display_name: str
    is_active: bool = True
    deactivation: Deactivation | None = None
    id: str = ""


@dataclass(frozen=True)
class Tracking:
    """How an account's new posts are tracked."""

    mode: str = "auto"
    hashtag: str | None = None
    inbox_non_matching: bool = True
    start: date | None = None
    end: date | None = None


@dataclass(eq=False)
class Account:
    """`handle` is in its normal form."""

    creator: Creator
    platform: str
    handle: str
    tracking: Tracking
    is_active: bool = True
    deactivation: Deactivation | None = None
    stretches: list[Interval] = field(default_factory=list)
    id: str = ""

    @property
    def is_counted(self) -> bool:
        """Whether it counts towards max_accounts_per_org."""
        return self.is_active and self.deactivation is None


@dataclass(frozen=True)
class Post:
    """A post on a platform. `author` is the handle that its URL names, if it names one."""

    platform: str
    platform_video_id: str
    author: str | None
    url: str


@dataclass(eq=False)
class Video:
    """A post in the project. `still` is what its account's deactivation made of it.

    `hashtag` is what its caption holds, as far as a discovery saw it.
    """

    post: Post
    account: Account | None
    status: str
    created_at: datetime
    posted_at: datetime | None = None
    hashtag: str | None = None
    is_disabled: bool = False
    is_exempt: bool = False
    is_paused: bool = False
    still: str | None = None
    id: str = ""

    @property
    def is_off(self) -> bool:
        return self.is_disabled or self.is_paused or self.still is not None

    @property
    def is_kept(self) -> bool:
        """Not of a removed account."""
        return self.account is None or self.account.is_active

    @property
    def is_tracked(self) -> bool:
        """Whether it counts towards max_tracked_videos_per_org."""
        return self.status in COUNTED and not self.is_off and self.is_kept

    @property
    def is_in_inbox(self) -> bool:
        return self.status == "pending_review" and self.is_kept

    @property
    def reason(self) -> str | None:
        """The contract's tracking_disabled_reason."""
        if self.is_disabled:
            return "manual"
        return {None: None, "freeze": "account_frozen", "stop_tracking": "account_stopped"}[
            self.still
        ]

    @property
    def age(self) -> tuple[bool, datetime, datetime, str]:
        """Sorts the oldest first: by posted_at, unknown last, then created_at, then id."""
        posted_at = self.posted_at or self.created_at
        return (self.posted_at is None, posted_at, self.created_at, self.id)

    def become(self, status: str) -> None:
        """Take a status; excluding ends whatever tracking was off for."""
        self.status = status
        if status == "excluded":
            self.switch_on()

    def switch_on(self) -> None:
        self.is_disabled = self.is_paused = False
        self.still = None
