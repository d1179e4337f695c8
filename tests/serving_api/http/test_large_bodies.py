"""Limits of a body's size and number of values; other requests are answered meanwhile."""

import asyncio
import json
import threading
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from types import SimpleNamespace
from typing import Any, get_args
from uuid import UUID, uuid4

import httpx
import psycopg
import pytest
from fastapi import Request
from fastapi._compat import ModelField
from fastapi.routing import iter_route_contexts

from serving_api.errors import Busy, InvalidBody, PayloadTooLarge, RateLimitExceeded
from serving_api.errors.invalid import MAX_ISSUES
from serving_api.http import bodies
from serving_api.http.bodies import BATCH_BYTES, MAX_BYTES, WRONG, body_limit_of, read_at_most
from serving_api.http.keyed_route import KeyedRoute
from serving_api.kit import json_text
from serving_api.kit.json_text import MAX_DEPTH, MAX_VALUES, SMALL_BYTES, parsed
from serving_api.kit.schemas import Batch
from serving_api.router import KEYED
from tests.contract.cases import CASES, filled
from tests.fixtures.api import Tenant
from tests.fixtures.locks import wait_until_waiting
from tests.serving_api.http.test_requests import JSON, campaigns, of_size, refused
from warehouse.ids import uuid7

SOME_ID = UUID("01976b2e-7c00-7c3a-9d7e-3f1c2b4a5d6e")


def post(tenant: Tenant, content: bytes, **headers: str) -> httpx.Response:
    return tenant.client.post(campaigns(tenant), content=content, headers=JSON | headers)


def with_unknown_fields(number: int) -> bytes:
    return json.dumps({f"f{index:x}": 1 for index in range(number)}).encode()


class TestIssues:
    @pytest.mark.parametrize("unknown", [MAX_ISSUES - 1, MAX_ISSUES, 2_000, MAX_VALUES - 1])
    def test_some_are_named_and_the_rest_counted(self, tenant: Tenant, unknown: int) -> None:
        """The name is missing too, which makes one issue more than the unknown fields."""
        response = post(tenant, with_unknown_fields(unknown))
        assert refused(response) == (400, "invalid_body")
        meta = response.json()["meta"]
        assert len(meta["issues"]) == min(MAX_ISSUES, unknown + 1)
        assert len(meta["issues"]) + meta.get("more_issues", 0) == unknown + 1
        assert len(response.content) < 20_000

    def test_a_stored_response_is_as_small(self, tenant: Tenant) -> None:
        body = with_unknown_fields(2_000)
        first, again = (post(tenant, body, **{"Idempotency-Key": "large"}) for _ in range(2))
        assert again.headers["Idempotency-Replay"] == "true"
        assert again.content == first.content

    def test_a_long_name_is_cut(self, tenant: Tenant) -> None:
        response = post(tenant, json.dumps({"x" * 900_000: 1}).encode())
        assert refused(response) == (400, "invalid_body")
        assert len(response.content) < 2_000


class TestText:
    """The limits of `parsed`."""

    @pytest.mark.parametrize(
        "body",
        [
            b"[" + b"1," * (MAX_VALUES - 2) + b"1]",
            b'"' + b"," * 900_000 + b'"',
            b'"' + b'\\"[{,' * 100_000 + b'"',
            b"[" * MAX_DEPTH + b"]" * MAX_DEPTH,
            b"[" + b"[]," * 1000 + b"[]]",
            b"9" * 4_000,
            b'{"a": {"b": 1}, "b": 1}',
        ],
    )
    def test_values_within_the_limits_are_accepted(self, body: bytes) -> None:
        assert parsed(body) == json.loads(body)

    @pytest.mark.parametrize(
        ("body", "path", "message"),
        [
            (b"[" + b"1," * MAX_VALUES + b"1]", "body", "has more than 20,000 values"),
            (b"[" + b"{}," * MAX_VALUES + b"1]", "body", "has more than 20,000 values"),
            (b'"' + b'\\"' * 400_000 + b"," * MAX_VALUES, "body", "not JSON at character 0"),
            (b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1), "body", "has more than 64 levels"),
            (b'{"a":' * 65 + b"1" + b"}" * 65, "body", "has more than 64 levels"),
            (b"[" * 10_000, "body", "has more than 64 levels"),
            (b"9" * 100_000, "body", "has a number with too many digits"),
            (b'{"a": 1, "b": 2, "b": 3}', "b", "is repeated"),
            (b'{"a": {"b": 1, "b": 1}}', "b", "is repeated"),
            (b"{", "body", "not JSON at character 1"),
            (b'{"a": "\xff"}', "body", "not text in UTF-8; send it uncompressed"),
            ('{"a": 1}'.encode("utf-16"), "body", "not text in UTF-8; send it uncompressed"),
            ('{"a": 1}'.encode("utf-32-le"), "body", "not JSON at character 1"),
        ],
    )
    def test_refused(self, body: bytes, path: str, message: str) -> None:
        with pytest.raises(InvalidBody) as refusal:
            parsed(body)
        assert refusal.value.meta["issues"] == [{"path": path, "message": message}]


def fields() -> dict[str, ModelField]:
    """The body field of every route, by its method and path."""
    return {
        f"{method} {context.path_format}": context.original_route.body_field
        for router in KEYED
        for context in iter_route_contexts(router.routes)
        for method in context.methods or ()
        if isinstance(context.original_route, KeyedRoute) and context.original_route.body_field
    }


class TestValidating:
    """FastAPI accepts validated bodies unchanged."""

    @pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.body])
    def test_validated_bodies_stay_valid(self, name: str) -> None:
        field = fields()[name]
        sent = filled(CASES[name].body, defaultdict(lambda: str(SOME_ID)))
        validated, errors = field.validate(sent, {}, loc=("body",))
        assert errors == []
        again, errors = field.validate(validated, {}, loc=("body",))
        assert errors == []
        assert again == validated
        assert field.validate(WRONG, {}, loc=("body",))[1]


class TestSizes:
    def test_only_batches_and_icons_may_be_larger(self) -> None:
        routes = [route for router in KEYED for route in router.routes]
        keyed = [route for route in routes if isinstance(route, KeyedRoute)]
        batches = {route.name: BATCH_BYTES for route in keyed if takes_a_batch(route)}
        larger = {route.name: body_limit_of(route.endpoint) for route in keyed}
        larger = {name: size for name, size in larger.items() if size > MAX_BYTES}
        assert batches
        assert larger == batches | {"set_payout_method_icon": 2 * 1024 * 1024}

    def test_a_batch_may_be_larger(self, tenant: Tenant) -> None:
        path = f"/projects/{tenant.project_id}/conversions"
        answer = tenant.client.post(path, content=of_size(BATCH_BYTES), headers=JSON)
        assert refused(answer) == (400, "invalid_body")
        answer = tenant.client.post(path, content=of_size(BATCH_BYTES + 1), headers=JSON)
        assert refused(answer) == (413, "payload_too_large")


def takes_a_batch(route: KeyedRoute) -> bool:
    annotations = [field.field_info.annotation for field in route.dependant.body_params]
    return any(
        Batch in getattr(each, "__mro__", ())
        for annotation in annotations
        for each in parts(annotation)
    )


def parts(annotation: Any) -> Iterator[Any]:
    """An annotation and all its parts."""
    yield annotation
    for inner in get_args(annotation):
        yield from parts(inner)


class TestThreads:
    """Large bodies are neither parsed nor validated in the event loop's thread."""

    @pytest.fixture
    def seen(self, monkeypatch: pytest.MonkeyPatch) -> set[str]:
        """The names of the threads that parsed or validated."""
        seen: set[str] = set()

        def noted(work: Any) -> Any:
            def call(*arguments: Any) -> Any:
                seen.add(threading.current_thread().name)
                return work(*arguments)

            return call

        monkeypatch.setattr(json_text, "_decoded", noted(json_text._decoded))
        monkeypatch.setattr(bodies, "_validated", noted(bodies._validated))
        return seen

    @pytest.mark.parametrize("key", [{}, {"Idempotency-Key": "aside"}])
    def test_large_bodies(self, tenant: Tenant, seen: set[str], key: dict[str, str]) -> None:
        post(tenant, with_unknown_fields(5_000), **key)
        assert seen
        assert all(name.startswith("AnyIO worker thread") for name in seen), seen

    def test_messages_of_agents(self, tenant: Tenant, seen: set[str]) -> None:
        headers = {"Authorization": f"Bearer {tenant.made.api_key}"} | JSON
        url = f"{tenant.api.base_url}/api/mcp"
        httpx.post(
            url, content=of_size(SMALL_BYTES + 1), headers=headers, trust_env=False, timeout=60
        )
        assert seen
        assert all(name.startswith("AnyIO worker thread") for name in seen), seen


class TestBodiesThatArrive:
    """Bodies share the memory: slow ones for up to two minutes, others until answered."""

    @staticmethod
    def sent_slowly(
        address: str, key: UUID | None, ended: asyncio.Event, at_end: ExitStack
    ) -> Request:
        """A body of 100 bytes whose end waits for an event. A UUID version's keys are one
        customer's.
        """
        messages = [
            {"type": "http.request", "body": b"0" * 100, "more_body": True},
            {"type": "http.request", "body": b"", "more_body": False},
        ]

        async def receive() -> Any:
            if len(messages) == 1:
                await ended.wait()
            return messages.pop(0)

        caller = SimpleNamespace(credential_id=key, organization_id=key and key.version)
        state = {"at_end": at_end} | ({"caller": caller} if key else {})
        scope = {"type": "http", "method": "PUT", "headers": [], "client": (address, 1)}
        return Request(scope | {"state": state}, receive)

    async def read_all(self, senders: Sequence[tuple[str, UUID | None]]) -> list[Any]:
        ended, refusal = asyncio.Event(), PayloadTooLarge.than(100)
        with ExitStack() as at_end:
            requests = [self.sent_slowly(*sender, ended, at_end) for sender in senders]
            reads = [
                asyncio.create_task(read_at_most(100, request, refusal)) for request in requests
            ]
            await asyncio.sleep(0)
            asyncio.get_running_loop().call_later(0.05, ended.set)
            outcomes = await asyncio.gather(*reads, return_exceptions=True)
        return [
            type(outcome) if isinstance(outcome, Exception) else len(outcome)
            for outcome in outcomes
        ]

    def test_a_networks_unread_bodies_are_limited(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The third body of one network is too much; another network's is not."""
        monkeypatch.setattr(bodies, "MOST_OF_NETWORK", 250)
        senders = [("192.0.2.1", None)] * 3 + [("192.0.2.2", None)]
        outcomes = asyncio.run(self.read_all(senders))
        assert outcomes == [100, 100, RateLimitExceeded, 100]
        assert asyncio.run(self.read_all(senders[:2])) == [100, 100]

    def test_a_credentials_unread_bodies_are_limited(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The limit covers all its networks together."""
        monkeypatch.setattr(bodies, "MOST_OF_CREDENTIAL", 250)
        key, other = uuid4(), uuid4()
        senders = [(f"192.0.2.{number}", key) for number in range(3)]
        outcomes = asyncio.run(self.read_all([*senders, ("192.0.2.0", other)]))
        assert outcomes == [100, 100, RateLimitExceeded, 100]
        assert asyncio.run(self.read_all(senders[:2])) == [100, 100]

    @pytest.mark.parametrize(
        ("keys", "refusal"), [([uuid7(), uuid7(), uuid7()], RateLimitExceeded), ([None] * 3, Busy)]
    )
    def test_one_customer_does_not_use_all_memory(
        self, monkeypatch: pytest.MonkeyPatch, keys: list[UUID | None], refusal: type[Exception]
    ) -> None:
        """Neither all keys of one customer nor all callers without a key fill the process."""
        monkeypatch.setattr(bodies, "MOST_OF_CUSTOMER", 250)
        senders = [(f"192.0.2.{number}", key) for number, key in enumerate(keys)]
        outcomes = asyncio.run(self.read_all([*senders, ("192.0.2.9", uuid4())]))
        assert outcomes == [100, 100, refusal, 100]
        assert asyncio.run(self.read_all(senders[:2])) == [100, 100]

    def test_a_processes_unread_bodies_are_limited(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(bodies, "MOST_OF_PROCESS", 250)
        senders = [(f"192.0.2.{number}", uuid4()) for number in range(3)]
        assert asyncio.run(self.read_all(senders)) == [100, 100, Busy]
        assert asyncio.run(self.read_all(senders[:2])) == [100, 100]
        assert Busy.status == 503

    def test_a_body_counts_until_it_is_answered(
        self, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Formerly bodies that waited for a thread took unlimited memory."""
        body = json.dumps({"name": "x" * 100}).encode()
        monkeypatch.setattr(bodies, "MOST_OF_CREDENTIAL", len(body) + 50)
        dsn, lock = tenant.api.store.dsn, "lock table campaigns in access exclusive mode"
        with ThreadPoolExecutor(1) as pool, psycopg.connect(dsn) as holder:
            holder.execute(lock)
            first = pool.submit(post, tenant, body)
            wait_until_waiting(dsn)
            assert refused(post(tenant, body)) == (429, "rate_limit_exceeded")
        assert first.result().status_code == 201
        assert post(tenant, json.dumps({"name": "other"}).encode()).status_code == 201
