"""/healthz, /readyz, /metrics and the OpenAPI document: outside /api, for machines."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import SecretStr
from sqlalchemy import create_engine
from structlog.testing import capture_logs

from serving_api.http.log_fields import request_fields
from tests.factories import marts
from tests.factories.damaged import opened_to_write, publish_damaged
from tests.fixtures.api import NOW, Api, Tenant, publish_history, running_api
from tests.fixtures.desk import TO_PEOPLE, Sitter
from tests.qa.faults.test_disk_full import fill, mounted
from tests.warehouse.operational.processes import wait_until
from warehouse.operational.store import OperationalStore
from warehouse.publication.current import CurrentPublication
from warehouse.publication.layout import CURRENT


def get(api: Api, path: str) -> httpx.Response:
    return httpx.get(api.base_url + path, trust_env=False)


def unreachable_store(api: Api) -> OperationalStore:
    url = "postgresql+psycopg://nobody@127.0.0.1:1/nothing"
    engine = create_engine(url)
    return OperationalStore(engine, engine, engine, api.store.clock)


def test_a_process_that_answers_is_healthy(api: Api) -> None:
    response = get(api, "/healthz")
    expected = {"status": "ok", "version": version("creator-tracker")}
    assert (response.status_code, response.json()) == (200, expected)


def test_ready_once_there_is_a_publication(api: Api, tmp_path: Path) -> None:
    with api.changed(home=tmp_path) as served:
        before = get(served, "/readyz")
        publish_history(served.settings, marts.History(videos=[], as_of=NOW))
        after = get(served, "/readyz")
    assert before.status_code == 503
    assert before.json() == {"status": "not ready", "postgresql": "ok", "publication": "none yet"}
    assert after.status_code == 200
    made = CurrentPublication(served.settings.publications_path).info()
    age = after.json()["publication_age_seconds"]
    assert 0 <= age < 60
    assert after.json() == {
        "status": "ready",
        "postgresql": "ok",
        "publication": "ok",
        "publication_id": str(made.publication_id),
        "publication_age_seconds": age,
    }


@pytest.mark.slow
def test_a_node_that_has_another_shard_first_is_not_ready(api: Api, tmp_path: Path) -> None:
    node = api.settings.model_copy(update={"home": tmp_path, "landing_url": "s3://bucket"})
    publish_history(node.of_shard("east"), marts.History(videos=[], as_of=NOW))
    with running_api(node, api.store) as served:
        before = get(served, "/readyz")
        publish_history(node, marts.History(videos=[], as_of=NOW))
        after = get(served, "/readyz")
    assert (before.status_code, before.json()["publication"]) == (503, "none yet")
    assert (after.status_code, after.json()["publication"]) == (200, "ok")


def test_an_unreachable_postgresql_is_named(api: Api) -> None:
    with running_api(api.settings, unreachable_store(api)) as served:
        response = get(served, "/readyz")
    assert response.status_code == 503
    assert response.json()["postgresql"] == "unreachable"


@pytest.mark.slow
def test_a_full_disk_is_named(api: Api, tmp_path: Path) -> None:
    """PostgreSQL stops when the disk is full; clients get a refused connection."""
    with mounted(tmp_path) as disk:
        settings = api.settings.model_copy(update={"home": disk})
        with running_api(settings, unreachable_store(api)) as served:
            fill(disk)
            response = get(served, "/readyz")
    assert response.status_code == 503
    assert response.json()["postgresql"] == "disk full: the data folder"


@pytest.fixture
def damaged(api: Api, tmp_path: Path) -> Iterator[Api]:
    """The API with a publication that is not a database."""
    settings = api.settings.model_copy(update={"home": tmp_path})
    publish_damaged(settings)
    with running_api(settings, api.store) as served:
        yield served


def test_a_damaged_publication_is_named(damaged: Api) -> None:
    response = get(damaged, "/readyz")
    assert response.status_code == 503
    assert response.json()["publication"] == "unreachable"


def test_a_fault_is_a_500_with_its_logged_id(damaged: Api, tenant: Tenant) -> None:
    """The response contains none of the exception's text, the log has all of it."""
    tenant.creator()
    with damaged.client(tenant.made.api_key) as client, capture_logs() as logged:
        meta = client.refusal("GET", "/creators", "internal_error")
        response = client.get("/creators")
    assert "damaged.duckdb" not in response.text
    assert response.headers["X-Request-Id"] == response.json()["meta"]["request_id"]
    (failure,) = [
        line
        for line in logged
        if (line["event"], line["request_id"]) == ("request failed", meta["request_id"])
    ]
    assert (failure["endpoint"], failure["exc_info"]) == ("list_creators", True)


@pytest.mark.slow
def test_a_publication_that_a_program_may_write_to_is_away_until_it_closes(
    api: Api, tenant: Tenant, tmp_path: Path
) -> None:
    settings = api.settings.model_copy(update={"home": tmp_path})
    publish_history(settings, marts.History(videos=[], as_of=NOW))
    tenant.creator()
    with running_api(settings, api.store) as served, served.client(tenant.made.api_key) as client:
        with opened_to_write(settings.publications_path / CURRENT):
            client.refusal("GET", "/creators", "unavailable")
        assert client.get("/creators").status_code == 200


def test_a_server_error_in_a_browser_is_a_page(damaged: Api, tenant: Tenant) -> None:
    sitter = Sitter(replace(tenant, api=damaged))
    answer = sitter.get(sitter.home, headers=TO_PEOPLE)
    assert answer.status_code == 500
    assert answer.headers["Content-Type"].startswith("text/html")
    assert "Something went wrong" in answer.text
    assert answer.headers["X-Request-Id"] in answer.text
    assert "damaged.duckdb" not in answer.text


def test_while_postgresql_is_away_every_route_asks_to_come_back(api: Api, tenant: Tenant) -> None:
    with (
        running_api(api.settings, unreachable_store(api)) as served,
        served.client(tenant.made.api_key) as client,
        capture_logs() as logged,
    ):
        response = client.get("/me")
        page = get(served, "/invitations/some-token")
    assert (response.status_code, response.json()["meta"]["code"]) == (503, "unavailable")
    assert response.headers["Retry-After"] == str(response.json()["meta"]["retryAfter"]) == "5"
    assert "127.0.0.1" not in response.text
    assert (page.status_code, page.headers["Retry-After"]) == (503, "5")
    assert page.headers["Content-Type"].startswith("text/html")
    away_lines = [line for line in logged if line["event"] == "PostgreSQL is away"]
    assert [line["endpoint"] for line in away_lines] == ["get_me", "show_invitation"]
    assert all("127.0.0.1" in line["error"] for line in away_lines)


@pytest.mark.parametrize("key", [None, "nonsense", "svc_0", "svc_" + "x" * 64])
def test_a_malformed_key_is_refused_without_a_query(api: Api, key: str | None) -> None:
    headers = {"Authorization": f"Bearer {key}"} if key is not None else {}
    with running_api(api.settings, unreachable_store(api)) as served:
        url = f"{served.base_url}/api/v2/me"
        response = httpx.get(url, headers=headers, trust_env=False)
    assert (response.status_code, response.json()["meta"]["code"]) == (401, "invalid_api_key")


@contextmanager
def one_request_logged() -> Iterator[list[Any]]:
    """Wait for a request's log line: the client may get the response before it is written."""
    with capture_logs() as logged:
        yield logged
        wait_until(lambda: bool(logged))


def test_a_request_is_logged_without_its_query_values(tenant: Tenant) -> None:
    project = str(tenant.project_id)
    with one_request_logged() as logged:
        response = tenant.client.get(f"/projects/{project}", params={"search": "private"})
    (line,) = logged
    assert line == {
        "event": "request",
        "log_level": "info",
        "request_id": response.headers["X-Request-Id"],
        "method": "GET",
        "endpoint": "get_project",
        "project_id": project,
        "status": 400,
        "ms": line["ms"],
        "client": "127.0.0.1",
        "organization_id": str(tenant.organization_id),
        "key_id": line["key_id"],
    }


@pytest.mark.parametrize(
    ("path", "written"),
    [
        ("/api/v2/{key}", "/api/v2/(not shown)"),
        ("/api/v2/creators/{key}/x/y", "/api/v2/creators/(not shown)/x/y"),
        ("/api/v2/%73vc_{digits}", "/api/v2/(not shown)"),
        ("/api/v2/Bearer%20{key}", "/api/v2/(not shown)"),
        ("/api/v2/nope?key={key}", "/api/v2/nope"),
        ("/api/v2/me?key={key}", None),
        ("/api/v2/creators/{key}", None),
        ("/api/v2/creators/" + "-" * 2_000 + 32 * "0", None),
        ("/api/v1/{key}", "/api/v1/(not shown)"),
        ("/api/v2/0123456789abcdef0123456789abcdef", "/api/v2/(not shown)"),
        ("/{key}", None),
    ],
)
def test_a_key_in_an_address_is_not_logged(tenant: Tenant, path: str, written: str | None) -> None:
    key = tenant.made.api_key
    digits = key.removeprefix("svc_")
    with one_request_logged() as logged:
        get(tenant.api, path.format(key=key, digits=digits))
    (line,) = logged
    assert line.get("path") == written
    assert len(str(line)) < 500
    assert digits not in repr(logged)
    assert digits not in get(tenant.api, "/metrics").text


def test_every_answer_has_its_own_request_id(api: Api) -> None:
    ids = {get(api, path).headers["X-Request-Id"] for path in ("/healthz", "/healthz", "/nope")}
    assert len(ids) == 3


def test_metrics_count_requests_by_endpoint_and_unknown_paths_together(tenant: Tenant) -> None:
    tenant.client.get("/me")
    for path in ("/nope", "/nope/2"):
        tenant.client.get(path)
    tenant.client.request("PURGE", "/me")
    text = get(tenant.api, "/metrics").text
    assert 'tracker_api_requests_total{method="GET",route="get_me",status="200"}' in text
    assert 'tracker_api_requests_total{method="GET",route="(none)",status="404"}' in text
    assert "nope" not in text
    assert "PURGE" not in text
    assert 'tracker_api_request_seconds_count{method="GET",route="get_me"}' in text


def test_metrics_ask_for_their_token_where_one_is_set(api: Api) -> None:
    token = "a token of Prometheus"
    with api.changed(metrics_token=SecretStr(token)) as served:
        statuses = [
            httpx.get(f"{served.base_url}/metrics", headers=headers, trust_env=False).status_code
            for headers in ({}, {"Authorization": f"Bearer {token}!"})
        ]
        answered = httpx.get(
            f"{served.base_url}/metrics",
            headers={"Authorization": f"Bearer {token}"},
            trust_env=False,
        )
    assert statuses == [401, 401]
    assert "tracker_api_requests_total" in answered.text


def test_metrics_do_without_postgresql(api: Api) -> None:
    with running_api(api.settings, unreachable_store(api)) as served:
        response = get(served, "/metrics")
    assert response.status_code == 200
    for metric in ("provider_requests_today", "webhook_messages_waiting"):  # an alert uses it
        assert f"tracker_{metric}" not in response.text


@pytest.mark.parametrize(
    ("told", "written"), [("sent " * 500, None), ("fe80::1%" + "sent" * 500, "fe80::1")]
)
def test_a_client_is_logged_as_an_address(told: str, written: str | None) -> None:
    """A proxy may pass on its own caller's header."""
    scope = {"method": "GET", "path": "/", "client": (told, 0), "state": {"request_id": "r"}}
    assert request_fields(scope)["client"] == written
