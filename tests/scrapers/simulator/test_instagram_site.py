"""Instagram's routes refuse as documented. What they show: test_against_simulator, beside this."""

import json

import httpx

from scrapers.simulator import Kind, TrueProfile, World

from .conftest import NOON

PROFILE_QUERY = "27981003384861049"
POSTS_QUERY = "27553725110923321"
POSTS_PAGING_QUERY = "27389614800735091"
POST_QUERY = "28309390568695038"


def profiles(world: World) -> list[TrueProfile]:
    handles = world.handles("instagram", at=NOON)
    return [p for handle in handles if (p := world.profile("instagram", handle, NOON))]


def plain(world: World) -> TrueProfile:
    return next(p for p in profiles(world) if p.bio_link and p.kind is Kind.PLAIN)


async def query(http: httpx.AsyncClient, doc_id: str, **variables: object) -> httpx.Response:
    form = {
        "lsd": "x",
        "fb_api_caller_class": "RelayModern",
        "server_timestamps": "true",
        "variables": json.dumps(variables),
        "doc_id": doc_id,
    }
    return await http.post("/instagram/api/graphql", data=form)


class TestQueries:
    async def test_unknown_query_missing_variable_and_bad_cursor_are_execution_errors(
        self, http: httpx.AsyncClient, world: World
    ) -> None:
        true = plain(world)
        answers = [
            await query(http, "1", username=true.handle),
            await query(http, PROFILE_QUERY),
            await query(http, POST_QUERY, media_id=None),
            await query(http, POSTS_QUERY, username=true.handle, after="nonsense"),
            await query(http, POSTS_PAGING_QUERY, id=true.platform_alt_id, after=None),
            await http.post("/instagram/api/graphql", data={"doc_id": PROFILE_QUERY}),
        ]
        for answer in answers:
            assert answer.status_code == 200
            assert answer.json()["data"] is None
            assert "execution error" in answer.json()["errors"][0]["message"]


class TestShareLinks:
    async def test_dead_link(self, http: httpx.AsyncClient) -> None:
        assert (await http.get("/instagram/share/BAdead1")).status_code == 404
