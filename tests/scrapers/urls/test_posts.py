"""Post URLs: every example of platforms.md section 3, and their canonical forms."""

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapers.urls import (
    PostUrl,
    ShortLinks,
    parse_post_url,
    pk_to_shortcode,
    post_url,
    profile_url,
    resolve_post_url,
    shortcode_to_pk,
    why_no_post,
)

VIDEO_ID = "7682837474828885294"
PHOTO_ID = "7681978481369685294"
PK, CODE = "3981064899117325116", "Dc_lW7jqhs8"


@pytest.mark.parametrize(
    ("url", "item_id", "handle", "canonical", "kind"),
    [
        (
            f"https://m.tiktok.com/@demo.creator/video/{VIDEO_ID}?_r=1",
            VIDEO_ID,
            "demo.creator",
            f"https://www.tiktok.com/@demo.creator/video/{VIDEO_ID}",
            "video",
        ),
        (
            f"https://www.tiktok.com/@/video/{VIDEO_ID}",
            VIDEO_ID,
            None,
            f"https://www.tiktok.com/@/video/{VIDEO_ID}",
            "video",
        ),
        (
            f"https://www.tiktok.com/@Demo.Creator/photo/{PHOTO_ID}",
            PHOTO_ID,
            "demo.creator",
            f"https://www.tiktok.com/@demo.creator/photo/{PHOTO_ID}",
            "photo",
        ),
        *(
            (
                f"https://{start}/video/{VIDEO_ID}",
                VIDEO_ID,
                "demo.creator",
                f"https://www.tiktok.com/@demo.creator/video/{VIDEO_ID}",
                "video",
            )
            for start in (
                "lite.tiktok.com/@demo.creator",
                "m.tiktok.com/%40demo.creator",
                "us.tiktok.com/@demo.creator",
            )
        ),
        *(
            (url, VIDEO_ID, None, f"https://www.tiktok.com/@/video/{VIDEO_ID}", "video")
            for url in (
                f"https://www.tiktok.com/embed/v2/{VIDEO_ID}",
                f"https://www.tiktok.com/embed/{VIDEO_ID}",
                f"https://m.tiktok.com/v/{VIDEO_ID}.html",
                f"https://www.tiktokv.com/share/video/{VIDEO_ID}/",
                f"https://t.tiktok.com/i18n/share/video/{VIDEO_ID}/?_t=ZS-9x&_r=1",
                f"https://www.tiktok.com/player/v1/{VIDEO_ID}?music_info=1",
                f"https://www.tiktok.com/tiktokstudio/analytics/{VIDEO_ID}/overview",
                f"https://www.tiktok.com/foryou?is_copy_url=1&item_id={VIDEO_ID}&lang=en",
            )
        ),
    ],
)
def test_tiktok_posts(
    url: str, item_id: str, handle: str | None, canonical: str, kind: str
) -> None:
    post = parse_post_url(url)
    assert post == PostUrl(
        platform="tiktok",
        platform_video_id=item_id,
        handle=handle,
        canonical_url=canonical,
        kind=kind,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(
    ("url", "handle", "canonical", "kind"),
    [
        (
            f"https://www.instagram.com/demo.creator/reel/{CODE}/?igsh=x",
            "demo.creator",
            f"https://www.instagram.com/reel/{CODE}/",
            "reel",
        ),
        (
            f"www.instagram.com/reels/{CODE}/",
            None,
            f"https://www.instagram.com/reel/{CODE}/",
            "reel",
        ),
        (
            f"http://instagram.com/reels/videos/{CODE}?l",
            None,
            f"https://www.instagram.com/reel/{CODE}/",
            "reel",
        ),
        (f"https://instagr.am/p/{CODE}", None, f"https://www.instagram.com/p/{CODE}/", "post"),
        (
            f"https://instagram.com/tv/{CODE}#c",
            None,
            f"https://www.instagram.com/p/{CODE}/",
            "post",
        ),
        (
            f"https://www.instagram.com/p/{CODE}{'x' * 28}/",
            None,
            f"https://www.instagram.com/p/{CODE}/",
            "post",
        ),
    ],
)
def test_instagram_posts(url: str, handle: str | None, canonical: str, kind: str) -> None:
    post = parse_post_url(url)
    assert (post.platform_video_id, post.handle) == (PK, handle)
    assert (post.canonical_url, post.kind) == (canonical, kind)


@pytest.mark.parametrize(
    "text",
    [
        f"Check out https://www.tiktok.com/@a/video/{VIDEO_ID} #fyp",
        f"<https://www.tiktok.com/@a/video/{VIDEO_ID}>",
        *(f"See https://www.tiktok.com/@a/video/{VIDEO_ID}{mark}" for mark in ".,;:!?)]\u3002"),
        f"www.tiktok.com/@a/video/{VIDEO_ID}. Lovely",
        f"\ufeffhttps://www.tiktok.com/\uff20a/video/{VIDEO_ID}\u200b\u200e",
        f"https://www.tiktok.com/@a/video/{VIDEO_ID} https://www.tiktok.com/@a",
        f"https://l.instagram.com/?u=https%3A%2F%2Fwww.tiktok.com%2F%40a%2Fvideo%2F{VIDEO_ID}%3Fx%3D1",
        f"https://www.tiktok.com/login?redirect_url=https%3A%2F%2Ftiktok.com%2F%40a%2Fvideo%2F{VIDEO_ID}",
    ],
)
def test_a_post_of_a_text(text: str) -> None:
    post = parse_post_url(text)
    assert (post.platform_video_id, post.handle) == (VIDEO_ID, "a")


@pytest.mark.parametrize("page", ["explore", "accounts"])
def test_an_own_page_of_instagram_is_not_an_author(page: str) -> None:
    post = parse_post_url(f"https://www.instagram.com/{page}/p/{CODE}/")
    assert (post.platform_video_id, post.handle) == (PK, None)


@pytest.mark.parametrize(
    "url",
    [
        "https://www.instagram.com/reels/audio/123456/",
        f"https://www.tiktok.com/@a/video/{VIDEO_ID} https://www.tiktok.com/@a/video/{PHOTO_ID}",
        f"https://www.tiktok.com/@a/video/{VIDEO_ID[:9]}...",
        *(f"https://www.instagram.com/p/{PK}_{owner}/" for owner in ("67000000001", "7" * 16)),
        "https://www.instagram.com/reels/videos/",
        "https://www.tiktok.com/@demo/video/%31%32%33",
        "https://www.tiktok.com/?share_item_id=7543347195295190302",
        "https://www.instagram.com/p/Dc_l/",
        "https://www.instagram.com/p/zzzzzzzzzzzzzzzz/",
        "https://www.instagram.com/demo.creator/",
        "https://www.tiktok.com/@demo.creator",
        "https://www.tiktok.com/@demo.creator/video/not-a-number",
        "https://www.tiktok.com/@demo/video/123456789012345678901",
        f"https://www.tiktok.com/@demo/video/0{VIDEO_ID}",
        f"https://www.tiktok.com/embed/0{VIDEO_ID}",
        "https://www.tiktok.com/@demo/video/٧٦٨٢٨٣٧٤٧٤٨٢٨٨٨٥٢٩٤",
        f"https://tiktok.com.example.org/@demo/video/{VIDEO_ID}",
        f"https://www.tiktok.com@example.org/@demo/video/{VIDEO_ID}",
        f"javascript://www.tiktok.com/@demo/video/{VIDEO_ID}",
        "",
    ],
)
def test_another_url_is_none(url: str) -> None:
    assert parse_post_url(url) is None


@pytest.mark.parametrize(
    ("url", "canonical"),
    [
        ("https://vm.tiktok.com/ZMabc123/", "https://vm.tiktok.com/ZMabc123/"),
        ("vt.tiktok.com/ZMabc123?x=1", "https://vt.tiktok.com/ZMabc123/"),
        (
            "https://vt.tiktok.com/ZS98QYgBSwy4P-MVZ1G/",
            "https://vt.tiktok.com/ZS98QYgBSwy4P-MVZ1G/",
        ),
        (
            "https://vm.tiktok.com/ZS9eQnVNkWqrH-NDwQg",
            "https://vm.tiktok.com/ZS9eQnVNkWqrH-NDwQg/",
        ),
        ("tiktok.com/t/ZTa-bc", "https://www.tiktok.com/t/ZTa-bc/"),
        ("https://lite.tiktok.com/t/ZSabc1", "https://lite.tiktok.com/t/ZSabc1/"),
        ("https://m.tiktok.com/t/ZTabc123/", "https://www.tiktok.com/t/ZTabc123/"),
        (
            "https://www.instagram.com/share/reel/BAabc123x",
            "https://www.instagram.com/share/reel/BAabc123x/",
        ),
        ("https://instagram.com/share/BAabc123x", "https://www.instagram.com/share/BAabc123x/"),
    ],
)
def test_short_links_are_recognized_without_an_id(url: str, canonical: str) -> None:
    post = parse_post_url(url)
    assert (post.kind, post.platform_video_id) == ("short_link", None)
    assert post.canonical_url == canonical


class TestResolvePostUrl:
    def links(self, target: str) -> ShortLinks:
        answer = httpx.Response(302, headers={"Location": target})
        return ShortLinks(httpx.Client(transport=httpx.MockTransport(lambda _: answer)))

    def test_a_share_link_gives_its_post(self) -> None:
        links = self.links(f"https://www.instagram.com/reel/{CODE}/?igsh=abc")
        post = resolve_post_url("https://www.instagram.com/share/BAabc123x", links)
        assert (post.platform_video_id, post.kind) == (PK, "reel")

    def test_a_link_to_a_profile_is_no_post(self) -> None:
        links = self.links("https://www.tiktok.com/@demo.creator")
        assert resolve_post_url("https://vm.tiktok.com/ZMabc123/", links) is None

    def test_a_plain_post_url_costs_no_request(self) -> None:
        links = ShortLinks(httpx.Client(), limit=0)
        post = resolve_post_url(f"https://www.tiktok.com/@demo/video/{VIDEO_ID}", links)
        assert post is not None


class TestShortcodes:
    def test_the_published_vector(self) -> None:
        assert shortcode_to_pk(CODE) == PK
        assert pk_to_shortcode(PK) == CODE

    @given(st.integers(min_value=1, max_value=2**63 - 1))
    def test_a_pk_survives_the_way_there_and_back(self, pk: int) -> None:
        assert shortcode_to_pk(pk_to_shortcode(str(pk))) == str(pk)

    @pytest.mark.parametrize("code", ["", "AAAAA", "abc!d", "_" * 20])
    def test_an_invalid_code_is_refused(self, code: str) -> None:
        with pytest.raises(ValueError, match="not a shortcode"):
            shortcode_to_pk(code)

    @pytest.mark.parametrize("pk", ["0", "-5", "abc"])
    def test_an_invalid_pk_is_refused(self, pk: str) -> None:
        with pytest.raises(ValueError):  # noqa: PT011 - int() words its own message
            pk_to_shortcode(pk)


class TestWritingUrls:
    def test_profiles(self) -> None:
        assert profile_url("tiktok", "demo") == "https://www.tiktok.com/@demo"
        assert profile_url("instagram", "demo") == "https://www.instagram.com/demo/"

    def test_posts(self) -> None:
        video = f"https://www.tiktok.com/@demo/video/{VIDEO_ID}"
        assert post_url("tiktok", VIDEO_ID, "demo") == video
        assert post_url("tiktok", VIDEO_ID, None, "photo").endswith(f"/@/photo/{VIDEO_ID}")
        assert post_url("instagram", PK) == f"https://www.instagram.com/p/{CODE}/"
        assert post_url("instagram", PK, kind="reel").endswith(f"/reel/{CODE}/")

    @given(st.integers(min_value=10**6, max_value=2**63 - 1), st.sampled_from(["demo", None]))
    def test_written_urls_parse_back(self, number: int, handle: str | None) -> None:
        for platform in ("tiktok", "instagram"):
            post = parse_post_url(post_url(platform, str(number), handle))
            assert post is None or post.platform_video_id == str(number)
            assert post is not None or platform == "instagram"


@given(st.text(max_size=300))
def test_any_text_is_a_post_or_none(text: str) -> None:
    post = parse_post_url(text)
    assert post is None or post.canonical_url.startswith("https://www.")


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("https://vm.tiktok.com/ZNdabcdEF/", "open it and give the address"),
        ("https://www.tiktok.com/@fuzzy.harbor4", "the profile of @fuzzy.harbor4, not a post"),
        ("https://www.instagram.com/fuzzy.harbor4/", "the profile of @fuzzy.harbor4, not a post"),
        ("https://www.tiktok.com/foryou", "give the whole link"),
        (
            f"tiktok.com/@a/video/{VIDEO_ID} and tiktok.com/@a/video/{PHOTO_ID}",
            "the links of several posts: give one",
        ),
        ("https://www.tiktok.com/@a1/video/9999999999999999999", "give the whole link"),
        ("7684014320247361000", "give the whole link"),
    ],
)
def test_a_link_of_no_post_is_refused_with_the_way_out(url: str, why: str) -> None:
    assert why in why_no_post(url)
