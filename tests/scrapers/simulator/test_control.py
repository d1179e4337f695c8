"""The simulator is steered and asked for the truth over HTTP."""

from datetime import UTC, datetime, timedelta

import httpx
import pytest

from scrapers.simulator import Kind, World

from .conftest import NOON


class TestClock:
    async def test_moves_the_world_for_every_route(
        self, http: httpx.AsyncClient, world: World
    ) -> None:
        handle = world.handles("tiktok")[0]
        counts = []
        for days in (0, 10):
            later = (NOON + timedelta(days=days)).isoformat()
            response = await http.put("/_simulator/clock", json={"now": later})
            assert response.json() == {"now": later}
            truth = (await http.get(f"/_simulator/truth/tiktok/{handle}")).json()
            counts.append((truth["profile"]["follower_count"], len(truth["posts"])))
        assert counts[0] < counts[1]

    async def test_takes_any_offset_and_lets_go_again(self, http: httpx.AsyncClient) -> None:
        moved = await http.put("/_simulator/clock", json={"now": "2026-09-11T02:00:00+05:30"})
        assert moved.json() == {"now": "2026-09-10T20:30:00+00:00"}
        freed = await http.put("/_simulator/clock", json={"now": None})
        assert freed.json() == {"now": NOON.isoformat()}
        assert (await http.get("/_simulator/clock")).json() == freed.json()

    @pytest.mark.parametrize(
        "body", ['{"now": "2026-09-11T02:00:00"}', '{"now": "soon"}', "{}", "[", '{"at": null}']
    )
    async def test_refuses_what_is_no_instant(self, http: httpx.AsyncClient, body: str) -> None:
        assert (await http.put("/_simulator/clock", content=body)).status_code == 422
        assert (await http.get("/_simulator/clock")).json() == {"now": NOON.isoformat()}


class TestFaults:
    async def test_strike_the_platforms_and_not_the_control(
        self, http: httpx.AsyncClient, world: World
    ) -> None:
        path = f"/tiktok/@{world.handles('tiktok')[0]}"
        rules = {"rules": [{"kind": "rate_limited", "retry_after_seconds": 3}]}
        put = await http.put("/_simulator/faults", json=rules)
        assert put.json()["rules"][0]["retry_after_seconds"] == 3
        assert (await http.get(path)).status_code == 429
        assert (await http.get("/_simulator/faults")).json() == put.json()
        await http.put("/_simulator/faults", json={})
        assert (await http.get(path)).status_code == 200

    async def test_tell_how_many_requests_each_has_matched(
        self, http: httpx.AsyncClient, world: World
    ) -> None:
        path = f"/tiktok/@{world.handles('tiktok')[0]}"
        rules = [
            {"kind": "empty_body", "path": "/tiktok/@*", "times": 2},
            {"kind": "captcha", "path": "/tiktok/*", "rate": 0.5},
        ]
        await http.put("/_simulator/faults", json={"rules": rules})
        for _ in range(5):
            await http.get(path)
        assert (await http.get("/_simulator/faults/met")).json() == [2, 3]
        await http.put("/_simulator/faults", json={})
        assert (await http.get("/_simulator/faults/met")).json() == []

    async def test_nonsense_is_refused_and_changes_nothing(self, http: httpx.AsyncClient) -> None:
        refused = await http.put("/_simulator/faults", json={"rules": [{"kind": "slow"}]})
        assert refused.status_code == 422
        assert "latency_ms" in refused.text
        assert (await http.get("/_simulator/faults")).json() == {"latency_ms": 0, "rules": []}


class TestTruth:
    async def test_tells_what_the_world_knows(self, http: httpx.AsyncClient, world: World) -> None:
        handle = world.handles("instagram")[4]
        truth = (await http.get(f"/_simulator/truth/instagram/{handle}?limit=3")).json()
        profile = world.profile("instagram", handle, NOON)
        posts = world.posts("instagram", handle, NOON)[:3]
        assert profile is not None
        assert truth["now"] == NOON.isoformat()
        assert truth["profile"]["follower_count"] == profile.follower_count
        assert truth["profile"]["total_likes_count"] is None
        assert [(p["platform_video_id"], p["like_count"]) for p in truth["posts"]] == [
            (p.platform_video_id, p.like_count) for p in posts
        ]
        posted = datetime.fromisoformat(truth["posts"][0]["posted_at"])
        assert posted == posts[0].posted_at.astimezone(UTC)

    async def test_nobody_and_nowhere_are_404(self, http: httpx.AsyncClient) -> None:
        for path in ("tiktok/nobody.at.all", "myspace/somebody"):
            assert (await http.get(f"/_simulator/truth/{path}")).status_code == 404


class TestCreators:
    async def test_lists_handles_of_the_present(
        self, http: httpx.AsyncClient, world: World
    ) -> None:
        answer = (await http.get("/_simulator/creators?platform=instagram&limit=7")).json()
        assert answer == {
            "platform": "instagram",
            "handles": world.handles("instagram", at=NOON)[:7],
        }
        private = (await http.get("/_simulator/creators?platform=tiktok&kind=private")).json()
        assert private["handles"] == world.handles("tiktok", kind=Kind.PRIVATE, at=NOON)

    @pytest.mark.parametrize("query", ["platform=myspace", "limit=x", "kind=odd"])
    async def test_refuses_what_it_does_not_know(self, http: httpx.AsyncClient, query: str) -> None:
        assert (await http.get(f"/_simulator/creators?{query}")).status_code == 422
