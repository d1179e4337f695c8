"""What the application works with reaches a request by one way."""

import asyncio

from serving_api.app import create_app
from serving_api.kit.services import Services
from tests.fixtures.api import Api


def test_requests_find_all_of_it_in_what_the_lifespan_yields(api: Api) -> None:
    app = create_app(api.settings, api.store)

    async def yielded() -> dict[str, object]:
        async with app.router.lifespan_context(app) as state:
            return {**(state or {})}

    lifespan_state = asyncio.run(yielded())
    assert [type(service) for service in lifespan_state.values()] == [Services]
    assert not [*app.state]
