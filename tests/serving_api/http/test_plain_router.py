"""What endpoints share is in their signatures, so it works on any router of FastAPI's."""

import asyncio
from typing import Annotated, Any
from uuid import UUID

import httpx
import pytest
from fastapi import APIRouter, Body
from sqlalchemy import func, select

from serving_api.app import create_app
from serving_api.auth.dependencies import Reader, Writer
from serving_api.errors import NotFound
from tests.fixtures.api import Tenant
from tests.fixtures.within import asked_within
from warehouse.operational.models import Campaign

router = APIRouter()


@router.get("/plain")
def count_plainly(*, context: Reader) -> int:
    mine = select(func.count()).where(Campaign.organization_id == context.organization_id)
    return context.session.scalar(mine) or 0


@router.post("/plain/{project_id}")
def create_plainly(
    *, context: Writer, project_id: UUID, name: Annotated[str, Body(embed=True)]
) -> str:
    context.session.add(
        Campaign(organization_id=context.organization_id, project_id=project_id, name=name)
    )
    context.session.flush()
    if name == "refused":
        raise NotFound.named("Campaign")
    return name


def ask(tenant: Tenant, key: str | None, *requests: tuple[str, str, Any]) -> list[httpx.Response]:
    """The answers of an application that also has the plain router."""
    app = create_app(tenant.api.settings, tenant.api.store)
    app.include_router(router)
    headers = {"Authorization": f"Bearer {key}"} if key else {}

    async def answers() -> list[httpx.Response]:
        async with asked_within(app, tenant.api.base_url) as client:
            return [
                await client.request(method, path, json=body, headers=headers)
                for method, path, body in requests
            ]

    return asyncio.run(answers())


def test_what_was_written_is_committed_and_what_was_refused_is_not(tenant: Tenant) -> None:
    place = f"/plain/{tenant.project_id}"
    made, refused, unheard, count = ask(
        tenant,
        tenant.made.api_key,
        ("POST", place, {"name": "Spring"}),
        ("POST", place, {"name": "refused"}),
        ("POST", place, {"title": "Spring"}),
        ("GET", "/plain", None),
    )
    assert (made.status_code, refused.status_code, unheard.status_code) == (200, 404, 400)
    assert unheard.json()["meta"]["code"] == "invalid_body"
    assert count.json() == 1
    assert [campaign["name"] for campaign in tenant.client.data("GET", "/campaigns")] == ["Spring"]


@pytest.mark.parametrize(("scopes", "status"), [((), 401), (("read",), 403)])
def test_whoever_may_not_is_refused(tenant: Tenant, scopes: tuple[str, ...], status: int) -> None:
    key = tenant.add_key(scopes)[0] if scopes else None
    place = f"/plain/{tenant.project_id}"
    [refused] = ask(tenant, key, ("POST", place, {"name": "Spring"}))
    assert refused.status_code == status
    assert tenant.client.data("GET", "/campaigns") == []
