"""The world is a function of seed and instant: the same for everyone, in any order."""

import hashlib
import itertools
import subprocess
import sys
from datetime import timedelta

import pytest

from scrapers.simulator import EPOCH, Kind, TruePost, World

from .conftest import NOON

FINGERPRINT = """
import hashlib
from datetime import datetime
from scrapers.simulator import World
world, at = World(seed=11, creators=400), datetime.fromisoformat("2026-09-10T12:00:00+00:00")
seen = []
for platform in ("tiktok", "instagram"):
    for handle in world.handles(platform)[:15]:
        seen += [world.profile(platform, handle, at), world.posts(platform, handle, at)]
print(hashlib.sha256(repr(seen).encode()).hexdigest())
"""
COUNTERS = ("view_count", "like_count", "comment_count", "share_count", "save_count")


def fingerprint(world: World) -> str:
    seen: list[object] = []
    for platform in ("tiktok", "instagram"):
        for handle in world.handles(platform)[:15]:
            seen += [world.profile(platform, handle, NOON), world.posts(platform, handle, NOON)]
    return hashlib.sha256(repr(seen).encode()).hexdigest()


class TestDeterminism:
    @pytest.mark.slow
    def test_another_process_with_another_hash_seed_sees_the_same_world(self, world: World) -> None:
        answer = subprocess.run(
            [sys.executable, "-c", FINGERPRINT],
            env={"PYTHONHASHSEED": "4711"},
            capture_output=True,
            text=True,
            check=True,
            cwd=".",
        )
        assert answer.stdout.strip() == fingerprint(world)

    @pytest.mark.slow
    def test_what_was_asked_before_does_not_matter(self, world: World) -> None:
        fresh = World(seed=11, creators=400)
        for handle in reversed(fresh.handles("tiktok")[:30]):
            fresh.posts("tiktok", handle, EPOCH + timedelta(days=100))
        assert fingerprint(fresh) == fingerprint(world)

    @pytest.mark.slow
    def test_another_seed_is_another_world(self, world: World) -> None:
        other = World(seed=12, creators=400)
        assert fingerprint(other) != fingerprint(world)
        assert set(other.handles("tiktok")).isdisjoint(world.handles("tiktok"))


class TestHandles:
    def test_the_named_number_of_people_with_different_handles_on_both_platforms(self) -> None:
        world = World(seed=3, creators=2000)
        tiktok, instagram = world.handles("tiktok"), world.handles("instagram")
        assert len(set(tiktok)) == len(set(instagram)) == 2000
        assert set(tiktok) == set(instagram)
        assert max(len(handle) for handle in tiktok) <= 24

    def test_the_first_five_are_plain_and_every_kind_is_there(self, world: World) -> None:
        for platform in ("tiktok", "instagram"):
            first = world.handles(platform)[:9]
            kinds = [profile.kind for h in first if (profile := world.profile(platform, h, EPOCH))]
            assert kinds[:5] == [Kind.PLAIN] * 5
            assert set(kinds) == set(Kind)


class TestCounts:
    @pytest.mark.slow
    def test_counts_rise_but_for_one_fall_of_one_counter_of_some_posts(self, world: World) -> None:
        steps = [EPOCH + timedelta(hours=13 * step) for step in range(60)]
        falls = {}
        for handle in world.handles("tiktok", kind=Kind.PLAIN)[:6]:
            last: dict[str, TruePost] = {}
            for at in steps:
                posts = world.posts("tiktok", handle, at)
                for post in posts:
                    before = last.get(post.platform_video_id, post)
                    fallen = [c for c in COUNTERS if getattr(post, c) < getattr(before, c)]
                    if fallen:
                        falls.setdefault(post.platform_video_id, []).append(fallen)
                last = {post.platform_video_id: post for post in posts}
        assert falls, "a world without corrections tests nothing"
        assert all(len(times) == 1 and len(times[0]) == 1 for times in falls.values())

    def test_some_accounts_lose_followers_at_a_purge_and_the_others_never(
        self, world: World
    ) -> None:
        hours = [EPOCH + timedelta(hours=hour) for hour in range(0, 24 * 60, 6)]
        losing = set()
        handles = world.handles("tiktok", kind=Kind.PLAIN)[:40]
        for handle in handles:
            counts = [
                p.follower_count for at in hours if (p := world.profile("tiktok", handle, at))
            ]
            if any(later < earlier for earlier, later in itertools.pairwise(counts)):
                losing.add(handle)
        assert 0 < len(losing) < len(handles) / 2

    def test_unknown_numbers_are_none_not_zero(self, world: World) -> None:
        posts = [
            p for h in world.handles("instagram")[:20] for p in world.posts("instagram", h, NOON)
        ]
        assert all(post.share_count is None and post.save_count is None for post in posts)
        assert all((post.view_count is None) == (post.media_type != "video") for post in posts)
        profile = world.profile("instagram", world.handles("instagram")[0], NOON)
        assert profile is not None
        assert profile.total_likes_count is None


class TestPosts:
    def test_posts_come_newest_first_and_never_before_their_time(self, world: World) -> None:
        posts = world.posts("instagram", world.handles("instagram")[2], NOON)
        times = [post.posted_at for post in posts]
        assert times == sorted(times, reverse=True)
        assert len(set(times)) == len(times)
        assert times[0] <= NOON

    @pytest.mark.slow
    def test_every_odd_post_exists_somewhere(self, world: World) -> None:
        def everything(platform: str) -> list[TruePost]:
            handles = world.handles(platform)[:50]
            return [post for h in handles for post in world.posts(platform, h, NOON)]

        tiktok, instagram = everything("tiktok"), everything("instagram")
        assert {p.media_type for p in tiktok} == {"video", "photo"}
        assert {p.media_type for p in instagram} == {"video", "photo", "carousel"}
        for posts in (tiktok, instagram):
            assert any("🎉" in (p.caption or "") and p.hashtags for p in posts)
            assert any(p.is_pinned for p in posts)
            assert any(p.is_restricted for p in posts)
        assert any(p.caption == "" for p in tiktok)
        assert any(p.caption is None for p in instagram)
        assert any(p.likes_hidden for p in instagram)
        assert any(p.plays_hidden for p in instagram)
        assert any(p.coauthors for p in instagram)


class TestEvents:
    def test_a_renamed_account_keeps_its_id_and_loses_its_old_handle(self, world: World) -> None:
        old = world.handles("tiktok", kind=Kind.RENAMED)[0]
        before = world.profile("tiktok", old, EPOCH)
        later = EPOCH + timedelta(days=43)
        new = world.handles("tiktok", kind=Kind.RENAMED, at=later)[0]
        after = world.profile("tiktok", new, later)
        assert before is not None
        assert after is not None
        assert (before.platform_user_id, before.platform_alt_id) == (
            after.platform_user_id,
            after.platform_alt_id,
        )
        assert new != old
        assert world.profile("tiktok", old, later) is None
        assert world.profile("tiktok", new, EPOCH) is None

    def test_a_vanished_account_is_gone_with_its_posts(self, world: World) -> None:
        handle = world.handles("instagram", kind=Kind.VANISHED)[0]
        later = EPOCH + timedelta(days=43)
        assert world.posts("instagram", handle, EPOCH)
        assert world.profile("instagram", handle, later) is None
        assert world.posts("instagram", handle, later) == []
        assert handle not in world.handles("instagram", at=later)

    def test_a_private_account_shows_counts_and_no_posts(self, world: World) -> None:
        handle = world.handles("instagram", kind=Kind.PRIVATE)[0]
        profile = world.profile("instagram", handle, NOON)
        assert profile is not None
        assert profile.is_private
        assert profile.video_count > 0
        assert world.posts("instagram", handle, NOON) == []

    def test_nobody_answers_to_an_unknown_handle_or_before_joining(self, world: World) -> None:
        assert world.profile("tiktok", "nobody.at.all", NOON) is None
        handle = world.handles("tiktok")[0]
        profile = world.profile("tiktok", handle, NOON)
        assert profile is not None
        before = profile.joined_at - timedelta(seconds=1)
        assert world.profile("tiktok", handle, before) is None
        assert world.profile("tiktok", handle.upper(), NOON) == profile
