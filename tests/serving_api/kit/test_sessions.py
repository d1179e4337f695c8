"""Sessions of a request: the commit precedes the response."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import event
from sqlalchemy.orm import Session

from tests.fixtures.api import Tenant
from warehouse.operational.session import WriteSession


@pytest.fixture
def failing_commits(tenant: Tenant) -> Iterator[Tenant]:
    """The tenant, created before commits began to fail."""

    def fail(_session: Session) -> None:
        raise ConnectionResetError("the server went away")

    event.listen(WriteSession, "before_commit", fail)
    yield tenant
    event.remove(WriteSession, "before_commit", fail)


def test_failed_commits_are_not_reported_as_done(failing_commits: Tenant) -> None:
    tenant = failing_commits
    path = f"/projects/{tenant.project_id}/campaigns"
    tenant.client.refusal("POST", path, "internal_error", json={"name": "A"})
    assert tenant.client.data("GET", "/campaigns") == []


def test_a_refused_write_leaves_nothing(tenant: Tenant) -> None:
    body = {"videos": [{"url": "https://www.tiktok.com/@a.b/video/7682837474828885294"}]}
    path = f"/projects/{tenant.organization_id}/videos"
    tenant.client.refusal("POST", path, "not_found", json=body)
    assert tenant.client.data("GET", "/videos") == []


@pytest.mark.slow
def test_more_reads_than_threads_all_get_through(tenant: Tenant) -> None:
    with ThreadPoolExecutor(90) as pool:
        answers = list(pool.map(lambda _: tenant.client.get("/creators"), range(180)))
    assert {answer.status_code for answer in answers} == {200}


@pytest.mark.slow
def test_more_writes_at_once_than_threads_and_connections_all_get_through(tenant: Tenant) -> None:
    """Writes with an Idempotency-Key acquire a connection before a thread."""
    path = f"/projects/{tenant.project_id}/campaigns"

    def write(number: int) -> int:
        headers = {"Idempotency-Key": f"of {number}"} if number % 2 else {}
        body = {"name": f"Spring {number}"}
        return tenant.client.post(path, json=body, headers=headers).status_code

    with ThreadPoolExecutor(90) as pool:
        assert set(pool.map(write, range(180))) == {201}
