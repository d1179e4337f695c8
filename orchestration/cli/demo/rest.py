"""A REST client of the service's own API, as an integration would write it."""

import time
from typing import Any

import httpx

from orchestration.cli.output import CommandFailed


class Rest:
    """Calls `/api/v2` with an API key. An error response ends the demo with its message."""

    def __init__(self, base_url: str, api_key: str) -> None:
        self._client = httpx.Client(
            base_url=f"{base_url}/api/v2",
            headers={"Authorization": f"Bearer {api_key}"},
            timeout=60,
        )

    def get(self, path: str, **query: Any) -> Any:
        return self._answer("GET", path, params=query or None)["data"]

    def post(self, path: str, body: dict[str, Any]) -> Any:
        return self._answer("POST", path, json=body)["data"]

    def patch(self, path: str, body: dict[str, Any]) -> Any:
        return self._answer("PATCH", path, json=body)["data"]

    def every(self, path: str, **query: Any) -> list[Any]:
        """Return all items of a list, page by page."""
        items: list[Any] = []
        cursor: dict[str, str] = {}
        while True:
            page = self._answer("GET", path, params={**query, **cursor, "limit": 100})
            items += page["data"]
            if not page["meta"]["hasMore"]:
                return items
            cursor = {"cursor": page["meta"]["nextCursor"]}

    def close(self) -> None:
        self._client.close()

    def _answer(self, method: str, path: str, **request: Any) -> dict[str, Any]:
        response = self._client.request(method, path, **request)
        while response.status_code == httpx.codes.TOO_MANY_REQUESTS:  # not done: may be sent again
            time.sleep(int(response.headers["Retry-After"]))
            response = self._client.request(method, path, **request)
        answer: dict[str, Any] = response.json()
        if response.is_error:
            raise CommandFailed(f"{method} {path} returned {response.status_code}: {answer}")
        return answer
