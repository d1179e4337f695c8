"""Business discovery answers with the fields asked for, and refuses as documented."""

from typing import Any

import httpx

from scrapers.simulator import AccountType, Kind, TrueProfile, World

from .conftest import NOON


def professional(world: World) -> TrueProfile:
    profiles = (world.profile("instagram", h, NOON) for h in world.handles("instagram", at=NOON))
    return next(
        p
        for p in profiles
        if p
        and p.account_type is not AccountType.PERSONAL
        and p.bio_link
        and p.biography
        and p.kind is Kind.PLAIN
        and p.video_count > 60
    )


async def discover(http: httpx.AsyncClient, handle: str, fields: str) -> httpx.Response:
    query = {"fields": f"business_discovery.username({handle}){{{fields}}}", "access_token": "t"}
    return await http.get("/graph/v26.0/17841400000000000", params=query)


async def discovered(http: httpx.AsyncClient, handle: str, fields: str) -> Any:
    return (await discover(http, handle, fields)).raise_for_status().json()


class TestDiscovery:
    async def test_only_the_fields_asked_for(self, http: httpx.AsyncClient, world: World) -> None:
        true = professional(world)
        body = await discovered(http, true.handle, "followers_count,media_count")
        assert body["business_discovery"] == {
            "followers_count": true.follower_count,
            "media_count": true.video_count,
            "id": true.platform_alt_id,
        }

    async def test_a_token_in_a_header_is_as_good(
        self, http: httpx.AsyncClient, world: World
    ) -> None:
        handle = professional(world).handle
        query = {"fields": f"business_discovery.username({handle}){{media_count}}"}
        route = "/graph/v26.0/17841400000000000"
        trusted = await http.get(route, params=query, headers={"Authorization": "Bearer t"})
        assert trusted.json() == (await discover(http, handle, "media_count")).json()


class TestErrors:
    async def test_personal_private_and_unknown_accounts(
        self, http: httpx.AsyncClient, world: World
    ) -> None:
        handles = world.handles("instagram", at=NOON)
        profiles = [p for h in handles if (p := world.profile("instagram", h, NOON))]
        personal = next(p for p in profiles if p.account_type is AccountType.PERSONAL)
        private = next(p for p in profiles if p.is_private)
        for handle in (personal.handle, private.handle, "nobody.at.all"):
            answer = await discover(http, handle, "followers_count")
            assert answer.status_code == 400
            error = answer.json()["error"]
            assert (error["code"], error["error_subcode"]) == (110, 2207013)

    async def test_missing_token_bad_fields_and_bad_cursor(
        self, http: httpx.AsyncClient, world: World
    ) -> None:
        handle = professional(world).handle
        query = {"fields": f"business_discovery.username({handle}){{id}}"}
        untrusted = await http.get("/graph/v26.0/1", params=query)
        other = await http.get("/graph/v26.0/1", params={"fields": "id", "access_token": "t"})
        lost = await discover(http, handle, "media.after(nonsense){id}")
        assert [a.json()["error"]["code"] for a in (untrusted, other, lost)] == [190, 100, 100]
        assert {a.status_code for a in (untrusted, other, lost)} == {400}
