"""Long lists are encoded in pieces, outside the event loop, to the same bytes."""

import asyncio
from typing import Any

import pytest

from serving_api.kit.envelope import PIECE, Envelope, Page, PageMeta, encoded_in_pieces, is_long
from serving_api.resources.tracking.creators.schemas import CreatedCreators
from tests.fixtures.api import Tenant

TEXT = 'a "quoted" é\n'


@pytest.mark.parametrize("count", [PIECE + 1, 2 * PIECE, 3 * PIECE + 2])
def test_pieces_equal_the_whole(count: int) -> None:
    meta = PageMeta(hasMore=True, nextCursor=TEXT)
    page = Page[str](data=[TEXT] * count, meta=meta)
    assert is_long(page)
    assert encoded_in_pieces(page) == page.model_dump_json(by_alias=True).encode()
    many = Envelope[int | list[int]](data=list(range(count)), meta={TEXT: [1.5, None]})
    assert encoded_in_pieces(many) == many.model_dump_json(by_alias=True).encode()


def test_a_batch_and_a_list_are_encoded_outside_the_event_loop(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoded: list[type[Any]] = []

    def encode(answer: Any) -> bytes:
        with pytest.raises(RuntimeError):
            asyncio.get_running_loop()
        encoded.append(type(answer))
        return encoded_in_pieces(answer)

    monkeypatch.setattr("serving_api.http.keyed_route.encoded_in_pieces", encode)
    accounts = [{"platform": "tiktok", "handle": f"piece.{number}"} for number in range(PIECE + 1)]
    batch = {"creators": [{"accounts": [account]} for account in accounts]}
    path = f"/projects/{tenant.project_id}/creators"
    made = tenant.client.data("POST", path, json=batch)
    listed = tenant.client.data("GET", "/creators")
    assert [each["id"] for each in listed] == [each["id"] for each in reversed(made)]
    assert encoded[0] is CreatedCreators
    assert len(encoded) == 2
