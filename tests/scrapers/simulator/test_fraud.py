"""Fraud in the made-up world: all five kinds, the same each time, and nothing else differs."""

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from scrapers.simulator import EPOCH, World
from scrapers.simulator.creators import Creator
from scrapers.simulator.fraud import Fraud, FraudKind
from scrapers.simulator.posts import Post

AT = EPOCH + timedelta(days=60)
Found = tuple[Creator, Post]


def posts_of(world: World) -> Iterator[Found]:
    """Every TikTok post there is at AT, as the world finds it."""
    for handle in world.handles("tiktok", at=AT):
        for post in world.posts("tiktok", handle, AT):
            creator_post = world.find_post("tiktok", post.platform_video_id, AT)
            assert creator_post is not None
            yield creator_post


@pytest.fixture(scope="module")
def honest() -> list[Found]:
    return list(posts_of(World(seed=5, creators=12)))


@pytest.fixture(scope="module")
def tampered() -> list[Found]:
    return list(posts_of(World(seed=5, creators=12, fraud=0.2)))


def of_kind(tampered: list[Found], kind: FraudKind) -> Iterator[tuple[Found, Fraud]]:
    """The posts of a kind that have grown for a while when it ends."""
    for creator_post in tampered:
        fraud = creator_post[1].growth.fraud
        if (
            fraud
            and fraud.kind is kind
            and creator_post[1].growth.counts(fraud.starts_at)["view"] > 500
        ):
            yield creator_post, fraud


def counts(creator_post: Found, at: float) -> dict[str, int]:
    return creator_post[1].growth.counts(at)


@pytest.mark.slow
def test_its_share_of_posts_has_one_and_others_are_as_without(
    honest: list[Found], tampered: list[Found]
) -> None:
    kinds = Counter(post.growth.fraud.kind for _, post in tampered if post.growth.fraud)
    assert 0.15 < kinds.total() / len(tampered) < 0.25
    assert set(kinds) == set(FraudKind)
    assert all(post.growth.fraud is None for _, post in honest)
    for plain, other in zip(honest, tampered, strict=True):
        fraud = other[1].growth.fraud
        at = min(fraud.starts_at - 1 if fraud else AT.timestamp(), AT.timestamp())
        assert (plain[1].platform_id, counts(plain, at)) == (
            other[1].platform_id,
            counts(other, at),
        )
    assert list(posts_of(World(seed=5, creators=12, fraud=0.2))) == tampered


def test_bought_views_come_without_likes(honest: list[Found], tampered: list[Found]) -> None:
    plain = {post.platform_id: post for _, post in honest}
    for creator_post, fraud in of_kind(tampered, FraudKind.BOUGHT):
        without = plain[creator_post[1].platform_id].growth.counts(fraud.ends_at)
        after, before = counts(creator_post, fraud.ends_at), counts(creator_post, fraud.starts_at)
        bought = int(fraud.size * before["view"])
        assert after == without | {"view": without["view"] + bought}


def test_bulk_is_a_step_of_every_counter(tampered: list[Found]) -> None:
    for creator_post, fraud in of_kind(tampered, FraudKind.BULK):
        before, after = counts(creator_post, fraud.starts_at), counts(creator_post, fraud.ends_at)
        assert all(after[name] >= before[name] + int(fraud.size * before[name]) for name in before)


def test_a_purge_takes_views_only(tampered: list[Found]) -> None:
    for creator_post, fraud in of_kind(tampered, FraudKind.PURGED):
        before, after = counts(creator_post, fraud.starts_at), counts(creator_post, fraud.ends_at)
        assert after["view"] < 0.75 * before["view"]


def test_a_revived_post_grows_by_the_same_each_hour(tampered: list[Found]) -> None:
    for creator_post, fraud in of_kind(tampered, FraudKind.REVIVED):
        begin = fraud.starts_at
        views = [counts(creator_post, begin + hours * 3600)["view"] for hours in range(0, 49, 6)]
        gains = [later - earlier for earlier, later in pairwise(views)]
        assert max(gains) < 1.6 * min(gains) + 5


def test_bots_write_a_few_texts_among_the_other_comments(tampered: list[Found]) -> None:
    world = World(seed=5, creators=12, fraud=0.2)
    creator_post, fraud = next(of_kind(tampered, FraudKind.BOTS))
    at = datetime.fromtimestamp(fraud.ends_at + 1, UTC)
    comments = world.comments(*creator_post, at)
    often = Counter(comment.text for comment in comments).most_common(3)
    assert sum(times for _, times in often) >= int(fraud.size)
    assert [comment.written_at for comment in comments] == sorted(
        comment.written_at for comment in comments
    )
    assert world.comments(*creator_post, at, newest_first=True) == comments[::-1]


def test_a_reading_shows_fraud_where_it_falls_between_it_and_the_one_before() -> None:
    fraud = Fraud(FraudKind.BOUGHT, 100, 200, 1)
    spans = [(0, 99), (0, 100), (150, 160), (199, 300), (200, 300)]
    assert [fraud.shows_between(*span) for span in spans] == [False, True, True, True, False]
