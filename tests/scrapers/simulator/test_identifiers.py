"""Ids follow the platforms' rules: literal examples first, then every id of a world."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapers.simulator import World, identifiers

from .conftest import NOON


class TestLiterals:
    def test_shortcode_of_a_pk(self) -> None:
        assert identifiers.shortcode(3981064899117325116) == "Dc_lW7jqhs8"
        assert identifiers.pk_of_shortcode("Dc_lW7jqhs8") == 3981064899117325116

    def test_instagram_pk_tells_milliseconds(self) -> None:
        created_ms, _ = identifiers.instagram_pk_origin(3981064899117325116)
        assert created_ms == 1788799940000  # 2026-09-07T16:52:20Z

    def test_tiktok_id_tells_seconds(self) -> None:
        created_at, _ = identifiers.tiktok_id_origin(7682837474828885294)
        assert created_at == 1788799994  # six seconds before the post's createTime

    def test_text_that_is_no_id(self) -> None:
        for text in ("", "x", "-1", "1" * 21, "9" * 5000, "١٢"):
            assert identifiers.parse_id(text) is None
        for code in ("", "Dc_lW7jqhs8" + "A" * 28, "!"):
            assert not identifiers.pk_of_shortcode(code)


class TestIdsOfAWorld:
    def test_tiktok_ids_carry_the_time_within_half_a_minute(self, world: World) -> None:
        for handle in world.handles("tiktok")[:10]:
            for post in world.posts("tiktok", handle, NOON):
                lead = post.posted_at.timestamp() - (int(post.platform_video_id) >> 32)
                assert 0 <= lead <= 26

    def test_instagram_pks_lie_some_minutes_before_the_post_or_hours(self, world: World) -> None:
        reels, late = 0, 0
        for handle in world.handles("instagram")[:30]:
            for post in world.posts("instagram", handle, NOON):
                created = ((int(post.platform_video_id) >> 23) + 1314220021721) / 1000
                lead = post.posted_at.timestamp() - created
                assert 60 <= lead <= (8760 if post.media_type == "video" else 480)
                reels += post.media_type == "video"
                late += lead > 600
        assert 1 / 30 < late / reels < 1 / 10

    def test_account_ids_look_like_the_platforms(self, world: World) -> None:
        handle = world.handles("tiktok")[3]
        tiktok, instagram = (world.profile(p, handle, NOON) for p in ("tiktok", "instagram"))
        assert tiktok is not None
        assert instagram is not None
        assert re.fullmatch(r"MS4wLjABAAAA[\w-]{32,64}", tiktok.platform_alt_id)
        assert int(tiktok.platform_user_id) >> 32 == int(tiktok.joined_at.timestamp())
        assert re.fullmatch(r"67\d{9}", instagram.platform_user_id)
        assert re.fullmatch(r"17841\d{12}", instagram.platform_alt_id)

    @pytest.mark.slow
    def test_shortcodes_have_eleven_characters_and_no_id_comes_twice(self, world: World) -> None:
        handles = world.handles("instagram")[:60]
        posts = [post for h in handles for post in world.posts("instagram", h, NOON)]
        assert {len(post.shortcode or "") for post in posts} == {11}
        assert len({post.platform_video_id for post in posts}) == len(posts)

    @pytest.mark.slow
    def test_every_post_is_found_by_its_id(self, world: World) -> None:
        for platform in ("tiktok", "instagram"):
            for handle in world.handles(platform)[:30]:
                for post in world.posts(platform, handle, NOON):
                    creator_post = world.find_post(platform, post.platform_video_id, NOON)
                    assert creator_post is not None
                    assert world.visible_post(*creator_post, NOON) == post


@given(st.integers(0, 262_143), st.none() | st.integers(0, 100_000))
def test_a_link_code_leads_back_to_where_it_came_from(creator: int, post: int | None) -> None:
    code = identifiers.link_code(creator, post)
    assert re.fullmatch(r"[A-Za-z0-9]{7}", code)
    assert identifiers.link_target(code) == (creator, post)
