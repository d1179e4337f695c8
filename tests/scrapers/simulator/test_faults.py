"""Faults strike where, how often and how long rules say. How providers meet each: beside this."""

import time

import httpx
import pytest
from pydantic import ValidationError

from scrapers.simulator import Fault, FaultKind, Faults, World, simulator_app
from scrapers.simulator.faults import FaultPlan

from .conftest import NOON


async def answers(world: World, paths: list[str], *rules: Fault) -> list[httpx.Response]:
    app = simulator_app(world, lambda: NOON, faults=Faults(rules=rules))
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://simulator"
    ) as http:
        return [await http.get(path) for path in paths]


def tiktok_profile(world: World) -> str:
    return f"/tiktok/@{world.handles('tiktok')[0]}"


def item_list(world: World) -> str:
    true = world.profile("tiktok", world.handles("tiktok")[0], NOON)
    assert true is not None
    until = int(NOON.timestamp() * 1000)
    return f"/tiktok/api/creator/item_list/?secUid={true.platform_alt_id}&cursor={until}"


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
