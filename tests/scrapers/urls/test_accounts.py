"""Account inputs become a handle, or a refusal with a reason."""

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapers.urls import InvalidAccount, ShortLinks, normalize_handle


def short_links(answers: dict[str, str], limit: int = 10) -> ShortLinks:
    def answer(request: httpx.Request) -> httpx.Response:
        target = answers.get(str(request.url))
        return httpx.Response(301, headers={"Location": target}) if target else httpx.Response(404)

    return ShortLinks(httpx.Client(transport=httpx.MockTransport(answer)), limit=limit)


@pytest.mark.parametrize(
    ("platform", "text", "handle"),
    [
        ("tiktok", "demo.creator", "demo.creator"),
        ("tiktok", "  @Demo.Creator ", "demo.creator"),
        ("tiktok", "1234567\n", "1234567"),
        ("tiktok", "https://www.tiktok.com/@Demo.Creator?lang=en", "demo.creator"),
        ("tiktok", "HTTPS://M.TikTok.com/@Demo.Creator/", "demo.creator"),
        ("tiktok", "tiktok.com/@demo_1#x", "demo_1"),
        ("instagram", "Demo.Creator", "demo.creator"),
        ("instagram", "a", "a"),
        ("instagram", "https://www.instagram.com/Demo.Creator/?hl=en", "demo.creator"),
        ("instagram", "www.instagram.com/demo_creator", "demo_creator"),
        ("instagram", "https://www.instagram.com/@some_body/", "some_body"),
        ("instagram", "https://www.instagram.com/some_body/reels/", "some_body"),
        ("instagram", "https://www.instagram.com/some_body/tagged/?hl=en", "some_body"),
        ("instagram", "https://www.instagram.com/some_body/reposts/", "some_body"),
        ("instagram", "https://www.instagram.com/_u/some_body/?igsh=example", "some_body"),
        ("tiktok", "https://www.tiktok.com/%40Demo.Creator?fbclid=x", "demo.creator"),
        ("tiktok", "https://www.tiktok.com/@demo.creator/live?enter_from=explore", "demo.creator"),
        ("tiktok", "https://lite.tiktok.com/@demo.creator", "demo.creator"),
        ("tiktok", "https://us.tiktok.com/@demo.creator?lang=en", "demo.creator"),
        ("instagram", "https://pt-br.instagram.com/demo.creator/", "demo.creator"),
        ("instagram", "https://de.instagram.com/demo.creator/", "demo.creator"),
        *(
            ("tiktok", text, "demo.creator")
            for text in (
                "@ demo.creator",
                "@\u00a0Demo.Creator",
                "\uff20demo.creator",
                "\ufeff@demo.creator\u200b",
                "\u2066@demo\u200d.creator\u2069",
                "(@demo.creator)",
                "\u201c@demo.creator\u201d,",
                "https://www.tiktok.com/\uff20demo.creator",
                "https://www.tiktok.com/@ demo.creator",
                "https://www.tik\u200btok.com/@demo.creator\u200e",
                "\uff48ttps://www.tiktok.com/@demo.creator",
                "<https://www.tiktok.com/@demo.creator>",
                "Me: https://www.tiktok.com/@demo.creator.",
                "(see https://www.tiktok.com/@demo.creator), please",
                "tiktok.com/@demo.creator; more at https://example.org/@other",
                "[Me](https://www.tiktok.com/@demo.creator)",
                "https://www.tiktok.com/@demo.creator\u3002",
                "https://www.tiktok.com/@demo.creator\nTikTok",
                "https://www.tiktok.com/@demo.creator https://tiktok.com/@Demo.Creator?a=1",
                "https://l.instagram.com/?u=https%3A%2F%2Fwww.tiktok.com%2F%40demo.creator&e=x",
                "https://www.tiktok.com/@demo.creator?item_id=7682837474828885294",
            )
        ),
        ("instagram", "\u200fdemo.creator\u00a0", "demo.creator"),
        ("instagram", "http.creator", "http.creator"),
    ],
)
def test_handles_and_profile_urls_are_normalized(platform: str, text: str, handle: str) -> None:
    assert normalize_handle(platform, text) == handle


@pytest.mark.parametrize(
    ("platform", "text", "reason"),
    [
        ("youtube", "demo", "unsupported_platform"),
        ("tiktok", "", "invalid_handle"),
        ("tiktok", "a", "invalid_handle"),
        ("tiktok", "ends.with.", "invalid_handle"),
        ("tiktok", "x" * 25, "invalid_handle"),
        ("tiktok", "dash-ed", "invalid_handle"),
        ("tiktok", "demo creator", "invalid_handle"),
        ("tiktok", "demöcreator", "invalid_handle"),
        ("tiktok", "@@demo", "invalid_handle"),
        ("tiktok", "tiktok.com/@no such", "invalid_handle"),
        ("instagram", "instagram.com/ed fox", "invalid_handle"),
        ("tiktok", "https://www.tiktok.com/@demo..", "invalid_handle"),
        ("tiktok", "https://tiktok.com/@one and https://tiktok.com/@two", "unrecognized_url"),
        ("tiktok", "https://www.tiktok.com\\@demo", "unrecognized_url"),
        ("tiktok", "https://example.org/?next=/@demo", "unrecognized_url"),
        (
            "tiktok",
            "https://a.example/?u=https://b.example/?u=https://c.example/",
            "unrecognized_url",
        ),
        ("tiktok", "https://www.tiktok.com/@ends.with./", "invalid_handle"),
        ("tiktok", "https://www.tiktok.com/@demo.creator/video/7682837474828885294", "video_url"),
        ("tiktok", "https://www.tiktok.com/embed/v2/7682837474828885294", "video_url"),
        ("tiktok", "tiktok.com", "no_handle_in_url"),
        ("tiktok", "https://www.tiktok.com/", "no_handle_in_url"),
        ("tiktok", "https://www.tiktok.com/@", "no_handle_in_url"),
        ("tiktok", "https://www.tiktok.com/tag/cats", "no_handle_in_url"),
        ("tiktok", "https://www.tiktok.com/@demo.creator/playlist/x-1", "unrecognized_url"),
        ("tiktok", "https://www.instagram.com/demo.creator/", "platform_mismatch"),
        ("tiktok", "https://example.org/@demo", "unrecognized_url"),
        ("tiktok", "https://www.tiktok.com@example.org/@demo", "unrecognized_url"),
        ("tiktok", "https://www.tiktok.com:8443/@demo", "unrecognized_url"),
        ("tiktok", "http://[::1/@demo", "unrecognized_url"),
        ("tiktok", "ftp://www.tiktok.com/@demo", "unrecognized_url"),
        ("tiktok", "https://vm.tiktok.com/ZMabc123/", "short_url_unresolved"),
        ("instagram", "doubled..period", "invalid_handle"),
        ("instagram", ".leading", "invalid_handle"),
        ("instagram", "trailing.", "invalid_handle"),
        ("instagram", "x" * 31, "invalid_handle"),
        ("instagram", "explore", "invalid_handle"),
        *(
            ("instagram", f"https://www.instagram.com/{page}/", "no_handle_in_url")
            for page in (
                "explore",
                "qr",
                "accounts",
                "direct",
                "about",
                "accounts/login",
                "Explore",
            )
        ),
        ("instagram", "https://ig.me/demo.creator", "unrecognized_url"),
        ("instagram", "https://www.instagram.com/reels/audio/123456/", "no_handle_in_url"),
        ("instagram", "https://www.instagram.com/demo.creator/guide/x/1/", "unrecognized_url"),
        ("instagram", "https://www.instagram.com/p/Dc_lW7jqhs8", "video_url"),
        ("instagram", "https://www.tiktok.com/@demo.creator", "platform_mismatch"),
        ("tiktok", "instagram.com/nasa Nasa", "platform_mismatch"),
        ("instagram", "https://www.instagram.com/share/reel/BAabc123x", "short_url_unresolved"),
    ],
)
def test_an_invalid_account_is_refused_with_the_contracts_reason(
    platform: str, text: str, reason: str
) -> None:
    with pytest.raises(InvalidAccount) as refusal:
        normalize_handle(platform, text)
    assert refusal.value.reason == reason
    code, sentence = str(refusal.value).split(": ", 1)
    assert (code, sentence) == (reason, refusal.value.way_out)
    assert len(sentence) > 20


@pytest.mark.parametrize(
    ("text", "way_out"),
    [
        (
            "https://example.org/@demo",
            "example.org is not tracked: enter the link of a profile on TikTok or Instagram",
        ),
        ("https://vm.tiktok.com/ZMabc123/", "could not be followed: open it"),
        ("https://www.tiktok.com/@/video/7682837474828885294", "enter the link of its author"),
        ("https://www.tiktok.com/@demo/video/7682837474828885294", "@demo: enter that handle"),
        ("tiktok.com/@no such", "no spaces: remove what follows the link"),
        ("https://www.tiktok.com/@nasa 12k followers", "no spaces: remove what follows the link"),
        ("@ed fox", "no spaces: copy it"),
        ("dash-ed", "no “-”: copy it"),
        ("demöcreator", "no “ö”: copy it"),
        ("@@demo", "no “@”: copy it"),
        ("a", "have 2 to 24 characters, not 1: copy it"),
        ("x" * 25, "have 2 to 24 characters, not 25: copy it"),
        ("ends.with.", "Periods in a handle are .*: copy it"),
    ],
)
def test_a_refusal_names_the_mistake_and_the_way_out(text: str, way_out: str) -> None:
    with pytest.raises(InvalidAccount, match=way_out):
        normalize_handle("tiktok", text)


def test_a_page_of_instagram_is_refused_as_such() -> None:
    with pytest.raises(InvalidAccount, match="page of the platform and no account: copy"):
        normalize_handle("instagram", "explore")


class TestShortLinks:
    LINK = "https://vm.tiktok.com/ZMabc123/"

    def test_a_link_to_a_profile_gives_its_handle(self) -> None:
        links = short_links({self.LINK: "https://www.tiktok.com/@Demo.Creator?_r=1&_t=abc"})
        assert normalize_handle("tiktok", "vm.tiktok.com/ZMabc123", links) == "demo.creator"
        text = f"Follow me <{self.LINK}>, download https://www.tiktok.com/tiktoklite"
        assert links.among([text, "demo"]) == [text]
        assert normalize_handle("tiktok", text, links) == "demo.creator"

    def test_a_wall_that_names_the_profile_gives_its_handle(self) -> None:
        login = "https://www.tiktok.com/login?redirect_url=https%3A%2F%2Fwww.tiktok.com%2F%40demo"
        links = short_links({self.LINK: login})
        assert normalize_handle("tiktok", self.LINK, links) == "demo"

    @pytest.mark.parametrize(
        ("target", "reason"),
        [
            ("https://www.tiktok.com/@demo/video/7682837474828885294?_r=1", "video_url"),
            ("https://www.tiktok.com/?_r=1", "short_url_unresolved"),
            ("https://vm.tiktok.com/ZMother/", "short_url_unresolved"),
            ("https://www.tiktok.com/music/x-7000000000000000009", "no_handle_in_url"),
            ("http://169.254.169.254/@demo", "short_url_unresolved"),
        ],
    )
    def test_a_link_to_something_else_is_refused(self, target: str, reason: str) -> None:
        with pytest.raises(InvalidAccount) as refusal:
            normalize_handle("tiktok", self.LINK, short_links({self.LINK: target}))
        assert refusal.value.reason == reason

    def test_one_request_follows_no_more_than_the_limit(self) -> None:
        links = short_links({self.LINK: "https://www.tiktok.com/@demo"}, limit=1)
        assert normalize_handle("tiktok", self.LINK, links) == "demo"
        with pytest.raises(InvalidAccount) as refusal:
            normalize_handle("tiktok", self.LINK, links)
        assert refusal.value.reason == "too_many_short_links"

    def test_a_link_of_the_other_platform_is_not_requested(self) -> None:
        with pytest.raises(InvalidAccount) as refusal:
            normalize_handle("instagram", self.LINK, short_links({}, limit=0))
        assert refusal.value.reason == "platform_mismatch"


@given(platform=st.sampled_from(["tiktok", "instagram"]), text=st.text(max_size=200))
def test_any_text_gives_a_handle_or_a_reason(platform: str, text: str) -> None:
    try:
        handle = normalize_handle(platform, text)
    except InvalidAccount:
        return
    assert normalize_handle(platform, handle) == handle == handle.lower()
