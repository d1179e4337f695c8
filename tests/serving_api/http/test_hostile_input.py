"""Whatever is sent, the answer is an envelope below 500 and the store is unharmed."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.doses import dose
from tests.fixtures.api import Api, Tenant, new_tenant

fuzz = settings(
    max_examples=dose(10, 40),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

texts = st.text(max_size=40) | st.sampled_from(
    ["tiktok", "instagram", "youtube", "auto", "hashtag", "2026-05-01", "0001-01-01", "\x00", "%"]
)
numbers = st.integers() | st.floats() | st.sampled_from([2**63, -(2**63), 10**400])
leaves = st.none() | st.booleans() | numbers | texts
values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)
handles = st.from_regex(r"[a-z0-9_.]{1,12}", fullmatch=True) | texts
accounts = st.fixed_dictionaries(
    {"platform": st.sampled_from(["tiktok", "instagram"]) | values, "handle": handles},
    optional={
        "tracking_mode": st.sampled_from(["auto", "selective", "hashtag"]) | values,
        "tracking_hashtags": st.lists(texts, max_size=4) | values,
        "hashtag_inbox_non_matching": st.booleans() | values,
        "tracking_start_date": st.dates().map(str) | values,
        "tracking_end_date": st.dates().map(str) | values,
    },
)


@pytest.fixture(scope="module")
def target(api: Api) -> Iterator[Tenant]:
    with new_tenant(api) as tenant:
        yield tenant


def send_json(tenant: Tenant, method: str, path: str, body: Any) -> int:
    """Send what json.dumps makes of anything: also NaN, lone surrogates and huge numbers."""
    import json  # noqa: PLC0415 - only here, and httpx's own encoder refuses NaN

    content = json.dumps(body).encode()
    headers = {"Content-Type": "application/json"}
    return tenant.client.request(method, path, content=content, headers=headers).status_code


@pytest.mark.slow
@fuzz
@given(
    creator=st.fixed_dictionaries(
        {"accounts": st.lists(accounts, max_size=3) | values},
        optional={
            "display_name": texts | values,
            "metadata": st.dictionaries(texts, values, max_size=4) | values,
        },
    )
)
@example(creator={"accounts": [{"platform": "tiktok", "handle": "\ud800"}]})
@example(
    creator={
        "accounts": [{"platform": "tiktok", "handle": "demo.meta"}],
        "metadata": {"\ud800": float("nan")},
    }
)
@example(
    creator={
        "accounts": [{"platform": "tiktok", "handle": "demo.keys"}],
        "metadata": {"\x00": 10**400},
    }
)
@example(
    creator={
        "accounts": [{"platform": "tiktok", "handle": "demo.huge"}],
        "metadata": {"n": 10**400},
    }
)
def test_bodies_of_creators(target: Tenant, creator: dict[str, Any]) -> None:
    body = {"project_id": str(target.project_id), **creator}
    assert send_json(target, "POST", "/creators", body) < 500


@fuzz
@given(path=st.sampled_from(["creators", "videos", "campaigns"]), body=values)
def test_bodies_of_any_shape(target: Tenant, path: str, body: Any) -> None:
    assert send_json(target, "POST", f"/projects/{target.project_id}/{path}", body) < 500


@fuzz
@given(
    name=texts | values,
    tags=st.lists(texts | st.uuids().map(str), max_size=22) | values,
    ids=st.lists(st.uuids().map(str) | texts, max_size=3) | values,
)
def test_bodies_of_tags(target: Tenant, creator: str, name: Any, tags: Any, ids: Any) -> None:
    of_creators = {"entity_type": "creator"}
    application = {"entity_ids": [creator, *ids] if isinstance(ids, list) else ids, "tags": tags}
    assert send_json(target, "POST", "/tags", {**of_creators, "name": name}) < 500
    assert send_json(target, "POST", "/tags/apply", {**of_creators, **application}) < 500
    for method in ("PUT", "POST", "DELETE"):
        assert send_json(target, method, f"/creators/{creator}/tags", {"tags": tags}) < 500
    merge = {"target_tag_id": name, "source_tag_ids": ids}
    assert send_json(target, "POST", "/tags/merge", merge) < 500


@fuzz
@given(content=st.binary(max_size=60), media=st.sampled_from(["application/json", "text/plain"]))
def test_bodies_that_are_no_json(target: Tenant, content: bytes, media: str) -> None:
    response = target.client.post("/creators", content=content, headers={"Content-Type": media})
    assert response.status_code < 500


@fuzz
@given(
    query=st.fixed_dictionaries(
        {},
        optional={
            "entity": st.sampled_from(["video", "creator", "campaign"]) | texts,
            "metric": st.sampled_from(["views", "followers", "video_count"]) | texts,
            "mode": st.sampled_from(["new", "cumulative"]) | texts,
            "granularity": st.sampled_from(["day", "week", "month"]) | texts,
            "from": st.dates().map(str) | texts,
            "to": st.dates().map(str) | texts,
            "tz": st.timezone_keys() | texts,
        },
    )
)
def test_queries_of_analytics(target: Tenant, creator: str, query: dict[str, str]) -> None:
    params = {"entity": "creator", "entity_id": creator, "metric": "views", **query}
    params = {name: value.encode("utf-8", "replace").decode() for name, value in params.items()}
    assert target.client.get("/analytics", params=params).status_code < 500


@pytest.fixture(scope="module")
def creator(target: Tenant) -> str:
    return str(target.creator("fuzzed.analytics")["id"])


@fuzz
@given(
    path=st.sampled_from(["/creators", "/accounts", "/videos", "/campaigns", "/projects"]),
    name=st.sampled_from(
        ["limit", "cursor", "search", "platform", "project_id", "status", "tags", "tags_match"]
    ),
    value=texts,
)
def test_queries_of_lists(target: Tenant, path: str, name: str, value: str) -> None:
    text = value.encode("utf-8", "replace").decode()
    assert target.client.get(path, params={name: text}).status_code < 500
