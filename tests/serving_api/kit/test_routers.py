"""Whether a router's quick look finds what asking each of its routes does."""

from uuid import UUID

import httpx
import pytest
from fastapi import FastAPI

from serving_api.http.keyed_route import QuickRouter

ID = "01890a5d-ac96-774b-bcce-b302099a8057"


@pytest.fixture(scope="module")
def app() -> FastAPI:
    nested, router, app = QuickRouter(), QuickRouter(), FastAPI(redirect_slashes=False)

    @router.get("/things/{thing_id}/parts")
    def parts(thing_id: UUID) -> str:
        return f"parts of {thing_id}"

    @nested.put("/nested/{name}")
    def change(name: str) -> str:
        return name

    router.include_router(nested, prefix="/deep")
    app.include_router(router, prefix="/api")
    return app


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", f"/api/things/{ID}/parts", 200),
        ("PUT", "/api/deep/nested/one", 200),
        ("GET", "/api/deep/nested/one", 405),
        ("GET", f"/api/things/{ID}/parts/", 404),
        ("GET", f"/api/things/{ID}", 404),
        ("GET", f"/things/{ID}/parts", 404),
        ("GET", f"/api/other/things/{ID}/parts", 404),
    ],
)
async def test_a_path_reaches_its_route(app: FastAPI, method: str, path: str, status: int) -> None:
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
        assert (await client.request(method, path)).status_code == status
