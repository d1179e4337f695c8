"""Creators of the simulated world: their constants, drawn from their number.

Kinds and dates of events are here, posts in `posts.py`, counts in `growth.py`.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from random import Random

from scrapers.simulator import identifiers, words
from scrapers.simulator.draws import draws, happens
from scrapers.simulator.growth import DAY, AccountGrowth
from scrapers.simulator.records import AccountType, Kind, Platform
from scrapers.simulator.schedule import Schedule

EPOCH = datetime(2026, 9, 1, tzinfo=UTC)
"""Reference time of events that occur once per account (joining, renaming, deletion). Accounts
begin 40 to 400 days before it; renames and deletions come 2 to 42 days after it."""

_EPOCH = int(EPOCH.timestamp())
_PLAIN_FIRST = 5
_ONE_OF_EACH = (Kind.DORMANT, Kind.PRIVATE, Kind.RENAMED, Kind.VANISHED)
_KIND_SHARES = ((Kind.DORMANT, 0.06), (Kind.PRIVATE, 0.03), (Kind.RENAMED, 0.04))
_VANISHED_SHARE = 0.02
_HEARTS_BEYOND_INT32 = 3_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Creator:
    """One account of the world. `event_at` is when it was renamed or deleted (epoch seconds).

    `pinned_post` is the number of its pinned old post. With `mixes_accounts` guests see another
    account's post in its timeline.
    """

    number: int
    platform: Platform
    kind: Kind
    account_type: AccountType
    event_at: int | None
    first_handle: str
    later_handle: str
    user_id: str
    alt_id: str
    display_name: str
    biography: str
    bio_link: str | None
    is_verified: bool
    shows_exact_counts: bool
    mixes_accounts: bool
    pinned_post: int | None
    schedule: Schedule
    followers: AccountGrowth
    likes: AccountGrowth
    following: int
    night: float
    phase: float

    @property
    def joined_at(self) -> int:
        """When the account began (epoch seconds)."""
        return self.schedule.starts_at - DAY

    def handle(self, at: float) -> str:
        renamed = self.kind is Kind.RENAMED and self.event_at is not None and at >= self.event_at
        return self.later_handle if renamed else self.first_handle

    def exists(self, at: float) -> bool:
        gone = self.kind is Kind.VANISHED and self.event_at is not None and at >= self.event_at
        return at >= self.joined_at and not gone


def make_creator(seed: int, platform: Platform, number: int) -> Creator:
    draw = draws(seed, platform, number)
    kind = _kind(number, draw)
    event_at = _EPOCH + draw.randrange(2 * DAY, 42 * DAY)
    schedule = _schedule(draw, kind)
    user_id, alt_id = _ids(seed, platform, number, schedule.starts_at - DAY)
    night, phase = draw.uniform(0.3, 0.9), draw.random()
    followers = _followers(draw, schedule.starts_at, night, phase)
    return Creator(
        number=number,
        platform=platform,
        kind=kind,
        event_at=event_at if kind in (Kind.RENAMED, Kind.VANISHED) else None,
        first_handle=words.handle(number, seed),
        later_handle=words.later_handle(number, seed),
        user_id=user_id,
        alt_id=alt_id,
        schedule=schedule,
        followers=followers,
        likes=_likes(draw, followers),
        following=draw.randrange(2000),
        night=night,
        phase=phase,
        display_name=words.display_name(number, seed),
        biography=words.biography(draw),
        bio_link=f"https://example.org/{number}" if happens(draw, 0.5) else None,
        is_verified=happens(draw, 0.1),
        shows_exact_counts=not happens(draw, 0.06) or number < _PLAIN_FIRST,
        mixes_accounts=happens(draw, 0.2),
        pinned_post=draw.randrange(10) if happens(draw, 0.25) else None,
        account_type=draw.choice(tuple(AccountType)),
    )


def _kind(number: int, draw: Random) -> Kind:
    chance = draw.random()
    if number < _PLAIN_FIRST:
        return Kind.PLAIN
    if number < _PLAIN_FIRST + len(_ONE_OF_EACH):
        return _ONE_OF_EACH[number - _PLAIN_FIRST]
    for kind, share in (*_KIND_SHARES, (Kind.VANISHED, _VANISHED_SHARE)):
        if chance < share:
            return kind
        chance -= share
    return Kind.PLAIN


def _schedule(draw: Random, kind: Kind) -> Schedule:
    starts_at = _EPOCH - draw.randrange(40 * DAY, 400 * DAY)
    ends_at = _EPOCH - draw.randrange(DAY, 35 * DAY)
    return Schedule(
        starts_at=starts_at,
        interval=DAY / draw.uniform(0.3, 2),
        phase=draw.random(),
        holiday_before=draw.randrange(5, 200),
        holiday_seconds=draw.choice((0, 0, 0, 16 * DAY, 30 * DAY)),
        ends_at=ends_at if kind is Kind.DORMANT else None,
    )


def _ids(seed: int, platform: Platform, number: int, joined_at: int) -> tuple[str, str]:
    if platform is Platform.INSTAGRAM:
        return (identifiers.instagram_user_pk(number), identifiers.instagram_facebook_id(number))
    user_id = identifiers.tiktok_id(joined_at, number, seed)
    return str(user_id), identifiers.tiktok_sec_uid(seed, number)


def _followers(draw: Random, since: int, night: float, phase: float) -> AccountGrowth:
    base = min(draw.lognormvariate(9.9, 1.6), 4e7) + 50
    purged = happens(draw, 0.3)
    return AccountGrowth(
        since=since,
        base=base,
        a_day=base * draw.uniform(0.0003, 0.004) + 1,
        night=night,
        phase=phase,
        purge_every=draw.uniform(20, 120) * DAY if purged else 0,
        purge_share=draw.uniform(0.002, 0.02),
    )


def _likes(draw: Random, followers: AccountGrowth) -> AccountGrowth:
    hearts = followers.base * draw.uniform(5, 40)
    if happens(draw, 0.02):
        hearts += _HEARTS_BEYOND_INT32
    return AccountGrowth(
        since=followers.since,
        base=hearts,
        a_day=followers.a_day * draw.uniform(5, 40),
        night=followers.night,
        phase=followers.phase,
    )
