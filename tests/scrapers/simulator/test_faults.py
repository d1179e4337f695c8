"""Each fault shows its documented sign, where, how often and how long the rule says."""

import json
import time
from typing import Any

import httpx
import pytest
from pydantic import ValidationError

from scrapers.simulator import Fault, FaultKind, Faults, World, simulator_app
from scrapers.simulator.faults import FaultPlan

from .conftest import NOON, scripts

GUEST_QUERY = {"doc_id": "27981003384861049", "variables": "{}"}


async def answer(
    world: World, path: str, *rules: Fault, method: str = "GET", **request: Any
) -> httpx.Response:
    return (await answers(world, [path], *rules, method=method, **request))[0]


async def answers(
    world: World, paths: list[str], *rules: Fault, method: str = "GET", **request: Any
) -> list[httpx.Response]:
    app = simulator_app(world, lambda: NOON, faults=Faults(rules=rules))
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://simulator"
    ) as http:
        return [await http.request(method, path, **request) for path in paths]


def tiktok_profile(world: World) -> str:
    return f"/tiktok/@{world.handles('tiktok')[0]}"


def instagram_profile(world: World) -> str:
    return f"/instagram/{world.handles('instagram')[0]}/"


def item_list(world: World, cursor: int | None = None) -> str:
    true = world.profile("tiktok", world.handles("tiktok")[0], NOON)
    assert true is not None
    until = int(NOON.timestamp() * 1000) if cursor is None else cursor
    return f"/tiktok/api/creator/item_list/?secUid={true.platform_alt_id}&cursor={until}"


class TestRefusals:
    async def test_429_with_and_without_retry_after(self, world: World) -> None:
        path, kind = tiktok_profile(world), FaultKind.RATE_LIMITED
        timed = await answer(world, path, Fault(kind=kind, retry_after_seconds=7))
        untimed = await answer(world, path, Fault(kind=kind))
        assert (timed.status_code, timed.headers["retry-after"]) == (429, "7")
        assert untimed.status_code == 429
        assert "retry-after" not in untimed.headers

    async def test_server_error_has_the_status_asked_for(self, world: World) -> None:
        for status in (500, 502, 503):
            fault = Fault(kind=FaultKind.SERVER_ERROR, status=status)
            assert (await answer(world, tiktok_profile(world), fault)).status_code == status

    async def test_empty_body_is_a_200_of_no_bytes(self, world: World) -> None:
        refused = await answer(world, item_list(world), Fault(kind=FaultKind.EMPTY_BODY))
        assert (refused.status_code, refused.content) == (200, b"")

    async def test_no_data_is_html_without_scripts(self, world: World) -> None:
        for path in (tiktok_profile(world), item_list(world)):
            refused = await answer(world, path, Fault(kind=FaultKind.NO_DATA))
            assert refused.status_code == 200
            assert refused.headers["content-type"].startswith("text/html")
            assert "<script" not in refused.text

    async def test_tiktok_challenge_page_has_its_marks(self, world: World) -> None:
        for kind in (FaultKind.CHALLENGE, FaultKind.PLEASE_WAIT):
            page = (await answer(world, tiktok_profile(world), Fault(kind=kind))).text
            assert "Please wait..." in page
            assert "SlardarWAF" in page
            assert 'id="cs"' in page
            assert 'id="wci" class="_wafchallengeid"' in page
            assert "__UNIVERSAL_DATA" not in page

    async def test_instagram_challenge_and_login_are_redirects_within_the_site(
        self, world: World
    ) -> None:
        for kind, where in (
            (FaultKind.CHALLENGE, "/instagram/challenge/"),
            (FaultKind.LOGIN_REDIRECT, "/instagram/accounts/login/"),
        ):
            refused = await answer(world, instagram_profile(world), Fault(kind=kind))
            assert refused.status_code == 302
            assert refused.headers["location"].startswith(where)

    async def test_tiktok_login_leads_to_a_page_that_is_there(self, world: World) -> None:
        fault = Fault(kind=FaultKind.LOGIN_REDIRECT, path="/tiktok/@*")
        page = await answer(world, tiktok_profile(world), fault, follow_redirects=True)
        assert page.status_code == 200
        assert page.url.path == "/tiktok/login"

    async def test_instagram_refuses_with_200_and_the_name_of_another_route(
        self, world: World
    ) -> None:
        for kind, route in (
            (FaultKind.LOGIN_PAGE, "comet.igweb.PolarisCAAIGLoginHomepageRoute"),
            (FaultKind.ERROR_PAGE, "comet.igweb.PolarisErrorRoute"),
        ):
            refused = await answer(world, instagram_profile(world), Fault(kind=kind))
            assert refused.status_code == 200
            assert f'"canonicalRouteName":"{route}"' in refused.text
            assert "xig_user_by_username" not in refused.text

    async def test_a_throttled_guest_gets_the_right_page_without_its_data(
        self, world: World
    ) -> None:
        path, fault = instagram_profile(world), Fault(kind=FaultKind.PAGE_WITHOUT_DATA)
        right, refused = await answer(world, path), await answer(world, path, fault)
        assert refused.status_code == 200
        for marker in ("og:description", "PolarisLoggedOutDesktopWWWProfileRoute", "data-sjs"):
            assert marker in right.text
            assert marker in refused.text
        for left_out in ("xig_user_by_username", "ContentQuery", "RelayPrefetchedStreamCache"):
            assert left_out in right.text
            assert left_out not in refused.text

    async def test_the_shells_are_pages_without_data_on_tiktok(self, world: World) -> None:
        for kind in (FaultKind.LOGIN_PAGE, FaultKind.ERROR_PAGE, FaultKind.PAGE_WITHOUT_DATA):
            refused = await answer(world, tiktok_profile(world), Fault(kind=kind))
            assert (refused.status_code, "<script" in refused.text) == (200, False)

    async def test_please_wait_on_instagram(self, world: World) -> None:
        refused = await answer(world, instagram_profile(world), Fault(kind=FaultKind.PLEASE_WAIT))
        assert refused.status_code == 401
        assert refused.json() == {
            "message": "Please wait a few minutes before you try again.",
            "require_login": True,
            "igweb_rollout": True,
            "status": "fail",
        }

    async def test_captcha(self, world: World) -> None:
        fault = Fault(kind=FaultKind.CAPTCHA)
        tiktok = await answer(world, item_list(world), fault)
        instagram = await answer(world, instagram_profile(world), fault)
        assert (tiktok.json()["code"], tiktok.json()["type"]) == (10000, "verify")
        assert instagram.status_code == 400
        assert instagram.json()["message"] == "checkpoint_required"

    async def test_query_refusals(self, world: World) -> None:
        async def refused(kind: FaultKind) -> httpx.Response:
            return await answer(
                world,
                "/instagram/api/graphql",
                Fault(kind=kind),
                method="POST",
                data=GUEST_QUERY,
            )

        assert (await refused(FaultKind.RETIRED_QUERY)).status_code == 403
        assert (await refused(FaultKind.EXECUTION_ERROR)).json()["data"] is None
        assert (await refused(FaultKind.QUERY_LIMIT)).json()["error"] == 1675004

    async def test_the_official_api_tells_its_own_limit(self, world: World) -> None:
        fault = Fault(kind=FaultKind.QUERY_LIMIT)
        error = (await answer(world, "/graph/v26.0/1", fault)).json()["error"]
        assert (error["code"], error["type"]) == (4, "OAuthException")

    async def test_reset_breaks_the_connection(self, world: World) -> None:
        with pytest.raises(ConnectionResetError):
            await answer(world, tiktok_profile(world), Fault(kind=FaultKind.RESET))


class TestSpoiltAnswers:
    async def test_changed_shape_keeps_json_and_loses_the_known_keys(self, world: World) -> None:
        fault = Fault(kind=FaultKind.CHANGED_SHAPE)
        page = (await answer(world, tiktok_profile(world), fault)).text
        [document] = scripts(page, 'id="__UNIVERSAL_DATA_FOR_REHYDRATION__"')
        assert "userInfo" not in document["__DEFAULT_SCOPE__"]["webapp.user-detail"]
        listing = (await answer(world, item_list(world), fault)).json()
        assert "itemList" not in listing
        assert "hasMorePrevious" not in listing
        page = (await answer(world, instagram_profile(world), fault)).text
        assert "xig_user_by_username_v9" in json.dumps(scripts(page, "data-sjs"))

    async def test_loop_prefix_stands_before_the_right_answer(self, world: World) -> None:
        right = await answer(world, item_list(world))
        spoilt = await answer(world, item_list(world), Fault(kind=FaultKind.LOOP_PREFIX))
        assert spoilt.text == "for (;;);" + right.text

    async def test_the_same_page_comes_whatever_the_cursor(self, world: World) -> None:
        fault = Fault(kind=FaultKind.SAME_PAGE)
        first, old = [
            (await answer(world, item_list(world, cursor), fault)).json()
            for cursor in (None, 1_600_000_000_000)
        ]
        assert first == old
        assert first["hasMorePrevious"] is True
        assert first["itemList"]

    async def test_an_empty_page_says_that_more_follows(self, world: World) -> None:
        listing = await answer(world, item_list(world), Fault(kind=FaultKind.EMPTY_PAGE))
        assert listing.json()["itemList"] == []
        assert listing.json()["hasMorePrevious"] is True

    async def test_instagrams_lists_can_repeat_and_be_empty_too(self, world: World) -> None:
        handle = world.handles("instagram")[0]
        post = world.posts("instagram", handle, NOON)[-1]
        last = f"{post.platform_video_id}_{post.platform_user_id}"

        async def timeline(kind: FaultKind, after: str | None) -> Any:
            variables = {"username": handle, "first": 12, "after": after}
            form = {"doc_id": "27553725110923321", "variables": json.dumps(variables)}
            path = "/instagram/api/graphql"
            response = await answer(world, path, Fault(kind=kind), method="POST", data=form)
            user = response.json()["data"]["xig_user_by_username"]
            return user["polaris_ordered_timeline_connection"]

        first, again = [await timeline(FaultKind.SAME_PAGE, after) for after in (None, last)]
        assert first == again
        assert first["page_info"]["has_next_page"] is True
        empty = await timeline(FaultKind.EMPTY_PAGE, None)
        assert empty["edges"] == []
        assert empty["page_info"]["has_next_page"] is True

    async def test_slow_answers_are_right_and_late(self, world: World) -> None:
        began = time.monotonic()
        slow = await answer(world, item_list(world), Fault(kind=FaultKind.SLOW, latency_ms=30))
        assert time.monotonic() - began >= 0.03
        assert slow.content == (await answer(world, item_list(world))).content


class TestRules:
    async def test_only_the_next_n_matching_requests_are_struck(self, world: World) -> None:
        rule = Fault(kind=FaultKind.RATE_LIMITED, path="/tiktok/@*", times=2)
        profile, listing = tiktok_profile(world), item_list(world)
        seen = await answers(world, [listing, profile, listing, profile, profile], rule)
        assert [each.status_code for each in seen] == [200, 429, 200, 429, 200]

    async def test_the_first_rule_that_strikes_wins(self, world: World) -> None:
        rules = (
            Fault(kind=FaultKind.RATE_LIMITED, path="/instagram/*"),
            Fault(kind=FaultKind.SERVER_ERROR, times=1),
            Fault(kind=FaultKind.EMPTY_BODY),
        )
        seen = await answers(world, [tiktok_profile(world)] * 2, *rules)
        assert [each.status_code for each in seen] == [503, 200]
        assert seen[1].content == b""

    def test_a_rate_strikes_its_share_and_the_same_ones_for_the_same_seed(self) -> None:
        def struck(seed: int) -> list[bool]:
            rule = Fault(kind=FaultKind.SERVER_ERROR, rate=0.3)
            plan = FaultPlan(seed, Faults(rules=(rule,)))
            return [plan.choose("/tiktok/@x") is not None for _ in range(1000)]

        assert struck(5) == struck(5)
        assert struck(5) != struck(6)
        assert 240 < sum(struck(5)) < 360

    async def test_latency_delays_every_answer_of_the_platforms(self, world: World) -> None:
        app = simulator_app(world, lambda: NOON, faults=Faults(latency_ms=25))
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://simulator") as http:
            began = time.monotonic()
            assert (await http.get(tiktok_profile(world))).status_code == 200
        assert time.monotonic() - began >= 0.025

    @pytest.mark.parametrize(
        "rule",
        [
            {"kind": "slow"},
            {"kind": "reset", "latency_ms": 5},
            {"kind": "reset", "rate": 0},
            {"kind": "reset", "rate": 1.5},
            {"kind": "reset", "times": 0},
            {"kind": "server_error", "status": 404},
            {"kind": "rate_limited", "retry_after_seconds": -1},
            {"kind": "unheard_of"},
            {"kind": "reset", "often": True},
            {},
        ],
    )
    def test_rules_that_make_no_sense_are_refused(self, rule: dict[str, object]) -> None:
        with pytest.raises(ValidationError):
            Faults.model_validate({"rules": [rule]})
