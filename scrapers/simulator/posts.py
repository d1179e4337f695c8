"""Constants of a post: its ids, its text, how it grows and when it is removed.

The creator's schedule says when it appears; counts come from `growth.py`.
"""

from dataclasses import dataclass, replace
from random import Random

from scrapers.simulator import identifiers, words
from scrapers.simulator.creators import Creator
from scrapers.simulator.draws import draws, happens
from scrapers.simulator.fraud import draw_fraud
from scrapers.simulator.growth import DAY, Correction, PostGrowth, Wave
from scrapers.simulator.records import Platform

LONGEST_LEAD = {Platform.TIKTOK: 20, Platform.INSTAGRAM: 146 * 60}
"""Maximum seconds between making the id and publishing the post: its media is uploaded first."""

_USUAL_INSTAGRAM_LEAD = 8 * 60
_UPLOADED_LONG_BEFORE = 1 / 18
"""Share of reels that wait longer than that after their upload."""

_MEDIA_TYPES = {
    Platform.TIKTOK: 7 * ("video",) + ("photo",),
    Platform.INSTAGRAM: 7 * ("video",) + 2 * ("photo",) + 2 * ("carousel",),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """One post of a creator. `withdrawn_privately`: it becomes private rather than deleted."""

    number: int
    platform_id: str
    posted_at: int
    withdrawn_at: int | None
    withdrawn_privately: bool
    caption: str | None
    hashtags: tuple[str, ...]
    media_type: str
    duration_seconds: int
    is_restricted: bool
    likes_hidden: bool
    plays_hidden: bool
    coauthors: tuple[int, ...]
    growth: PostGrowth


def make_post(seed: int, creator: Creator, number: int, creators: int) -> Post:
    """Draw post `number` of a creator in a world of `creators`."""
    draw = draws(seed, creator.platform, creator.number, number)
    posted_at = creator.schedule.posted_at(number)
    media_type = draw.choice(_MEDIA_TYPES[creator.platform])
    hashtags = words.hashtags(draw)
    return Post(
        number=number,
        platform_id=_platform_id(
            draw, creator, posted_at, waited=_waited(seed, creator, number, media_type)
        ),
        posted_at=posted_at,
        withdrawn_at=creator.schedule.withdrawn_at(number),
        growth=_growth(draw, creator, posted_at, media_type),
        media_type=media_type,
        duration_seconds=draw.randrange(5, 180) if media_type == "video" else 0,
        withdrawn_privately=happens(draw, 0.3),
        caption=_caption(draw, creator.platform, hashtags),
        hashtags=hashtags,
        is_restricted=happens(draw, 0.01),
        likes_hidden=creator.platform is Platform.INSTAGRAM and happens(draw, 0.05),
        plays_hidden=creator.platform is Platform.INSTAGRAM and happens(draw, 0.05),
        coauthors=_coauthors(draw, creator, creators),
    )


def tampered(post: Post, seed: int, creator: Creator, share: float) -> Post:
    """Return the post with fraud of probability `share`, drawn separately from the rest."""
    draw = draws(seed, "fraud", creator.platform, creator.number, post.number)
    fraud = draw_fraud(draw, share, post.posted_at, post.growth.ratios)
    return replace(post, growth=replace(post.growth, fraud=fraud))


def _caption(draw: Random, platform: Platform, hashtags: tuple[str, ...]) -> str | None:
    """Return a caption; without one, TikTok sends an empty text and Instagram null."""
    if happens(draw, 0.04):
        return "" if platform is Platform.TIKTOK else None
    return words.caption(draw, hashtags)


def _coauthors(draw: Random, creator: Creator, creators: int) -> tuple[int, ...]:
    is_shared, other = happens(draw, 0.04), draw.randrange(creators)
    return (other,) if is_shared and other != creator.number else ()


def _waited(seed: int, creator: Creator, number: int, media_type: str) -> int | None:
    """Return how many seconds a reel waited after its upload, None for the usual time."""
    if creator.platform is Platform.TIKTOK or media_type != "video":
        return None
    draw = draws(seed, "upload", creator.platform, creator.number, number)
    if not happens(draw, _UPLOADED_LONG_BEFORE):
        return None
    return draw.randrange(_USUAL_INSTAGRAM_LEAD, LONGEST_LEAD[Platform.INSTAGRAM])


def _platform_id(draw: Random, creator: Creator, posted_at: int, *, waited: int | None) -> str:
    noise = draw.getrandbits(16)
    if creator.platform is Platform.TIKTOK:
        lead = draw.randrange(LONGEST_LEAD[Platform.TIKTOK])
        return str(identifiers.tiktok_id(posted_at - lead, creator.number, noise))
    lead_ms = draw.randrange(60_000, _USUAL_INSTAGRAM_LEAD * 1000)
    if waited is not None:
        lead_ms = waited * 1000
    return str(identifiers.instagram_pk(posted_at * 1000 - lead_ms, creator.number, noise))


def _growth(draw: Random, creator: Creator, posted_at: int, media_type: str) -> PostGrowth:
    ceiling = creator.followers.base * draw.lognormvariate(-1, 0.9) + 20
    waves = [Wave(posted_at, ceiling, draw.uniform(0.5, 4) * DAY)]
    if happens(draw, 0.03):
        second = posted_at + draw.uniform(0.5, 25) * DAY
        waves.append(Wave(second, ceiling * draw.uniform(10, 60), draw.uniform(1, 5) * DAY))
    ratios = _ratios(draw, creator.platform, media_type)
    return PostGrowth(
        tuple(waves), creator.night, creator.phase, ratios, _correction(draw, posted_at, ratios)
    )


def _ratios(draw: Random, platform: Platform, media_type: str) -> dict[str, float]:
    likes, comments = draw.uniform(0.02, 0.15), draw.uniform(0.0005, 0.01)
    shares, saves = draw.uniform(0.0003, 0.01), draw.uniform(0.001, 0.03)
    if platform is Platform.TIKTOK:
        return {"view": 1, "like": likes, "comment": comments, "share": shares, "save": saves}
    plays = {"view": 1.0} if media_type == "video" else {}
    return plays | {"like": likes, "comment": comments}


def _correction(draw: Random, posted_at: int, ratios: dict[str, float]) -> Correction | None:
    at, share = posted_at + draw.randrange(DAY // 2, 20 * DAY), draw.uniform(0.02, 0.2)
    counter = draw.choice([name for name in ratios if name in ("view", "like", "comment")])
    return Correction(at, counter, share) if happens(draw, 0.08) else None
