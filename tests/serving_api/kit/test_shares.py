"""Fair shares: no customer gets all slots, the queue is short, and no slot is lost."""

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import repeat
from threading import Event, Semaphore
from typing import Any
from uuid import uuid4

import httpx
import psycopg
import pytest

from serving_api import passwords
from serving_api.errors import Busy, RateLimitExceeded
from serving_api.kit import probe
from serving_api.kit.shares import (
    PAGES_OF_ONE,
    STREAMS_OF_ONE,
    WRITES_OF_ONE,
    Shares,
)
from serving_api.kit.threads import READ_THREADS, WAIT_THREADS
from serving_api.mcp import mount
from serving_api.resources.analytics.exports.dataset import Export, ExportQuery, Source
from serving_api.resources.analytics.exports.lists import ListDataset
from serving_api.resources.tracking.creators import batch
from tests.fixtures.api import Api, Tenant, new_tenant
from tests.fixtures.locks import wait_until_waiting
from warehouse.csv_cells import Cell
from warehouse.operational.models import PostPicture, Video
from warehouse.storage.folder import FolderStorage


def test_a_customer_that_uses_its_whole_share_leaves_the_others_theirs() -> None:
    shares = Shares("atOnce", slots=3, of_one=2, seconds=0.0)
    with ExitStack() as taken:
        for _ in range(2):
            taken.enter_context(shares.slot("busy"))
        with pytest.raises(RateLimitExceeded), shares.slot("busy"):
            pass
        with shares.slot("other"), pytest.raises(Busy), shares.slot("third"):
            pass
    with shares.slot("busy"), shares.slot("busy"), shares.slot("third"):
        pass


def test_a_free_slot_goes_to_the_customer_with_the_fewest_not_the_first() -> None:
    shares = Shares("atOnce", slots=2, of_one=2)
    order: list[str] = []

    async def wait_for(customer: str) -> None:
        async with shares.slot_aside(customer):
            order.append(customer)

    async def come(stack: ExitStack) -> None:
        coming = []
        for customer in ("busy", "busy", "other"):
            coming.append(asyncio.create_task(wait_for(customer)))
            await asyncio.sleep(0)
        stack.close()
        await asyncio.gather(*coming)

    with shares.slot("busy"), ExitStack() as stack:
        stack.enter_context(shares.slot("busy"))
        asyncio.run(come(stack))
    assert order == ["other", "busy", "busy"]


def test_the_heaviest_customer_has_fewer_slots_while_others_are_active() -> None:
    now = [0.0]
    shares = Shares("atOnce", 4, 3, beside_others=1, seconds=0.0, clock=lambda: now[0])

    def spend(customer: str, seconds: float) -> None:
        with shares.slot(customer):
            now[0] += seconds

    def places_of(customer: str) -> int:
        with ExitStack() as taken:
            for number in range(4):
                try:
                    taken.enter_context(shares.slot(customer))
                except RateLimitExceeded:
                    return number
        return 4

    spend("busy", 0.5)
    assert places_of("busy") == 3, "no other customer is active"
    spend("other", 0.1)
    assert (places_of("busy"), places_of("other")) == (1, 3)
    spend("busy", 1.0)
    assert places_of("busy") == 1
    now[0] += 1.1
    assert places_of("busy") == 3, "the other one was active two seconds ago"


def test_a_queue_that_is_full_refuses_at_once() -> None:
    shares = Shares("atOnce", slots=1, of_one=1, queue=0, seconds=3600.0)
    with shares.slot(), pytest.raises(Busy), shares.slot():
        pass
    with shares.slot():
        pass


def test_event_loops_wait_for_threads_and_a_request_that_leaves_gives_its_turn_away() -> None:
    shares = Shares("atOnce", slots=1, of_one=1)

    async def waits() -> str:
        async with shares.slot_aside("a"):
            return "had a place"

    async def all_of() -> str:
        with shares.slot("a"):
            leaving, staying = asyncio.create_task(waits()), asyncio.create_task(waits())
            await asyncio.sleep(0)
            leaving.cancel()
            with pytest.raises(asyncio.CancelledError):
                await leaving
        return await staying

    assert asyncio.run(all_of()) == "had a place"


def test_two_passwords_hash_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passwords, "HASHES", Shares("passwordsAtOnce", 2, 2, queue=0))
    with passwords.HASHES.slot(), passwords.HASHES.slot(), pytest.raises(Busy):
        passwords.hash_password("a long passphrase")
    stored = passwords.hash_password("a long passphrase")
    assert passwords.is_right("a long passphrase", stored)


def test_pages_of_one_network_have_few_slots(api: Api, tenant: Tenant) -> None:
    """Formerly each waited for the lock without a limit, and occupied a connection."""
    path = f"/organizations/{tenant.organization_id}/invitations"
    body = {"email": "somebody.new@test.invalid"}
    token = tenant.client.data("POST", path, json=body)["token"]

    def accept(_: int) -> tuple[int, str | None]:
        form = {"display_name": "Ada", "password": "correct horse battery"}
        answer = httpx.post(f"{api.base_url}/invitations/{token}", data=form, timeout=60)
        return answer.status_code, answer.headers.get("Retry-After")

    with (
        new_tenant(api) as other,
        ThreadPoolExecutor(15) as pool,
        psycopg.connect(api.store.dsn) as holder,
    ):
        lock = "select 1 from organizations where id = %s for update"
        holder.execute(lock, [tenant.organization_id])
        answers = [pool.submit(accept, number) for number in range(15)]
        wait_until_waiting(api.store.dsn, PAGES_OF_ONE)
        path = f"/projects/{other.project_id}/campaigns"
        other.client.data("POST", path, json={"name": "Autumn"})
        assert not any(each.done() for each in answers)
        assert next(as_completed(answers)).result() == (503, "2")
        holder.rollback()
        statuses = Counter(each.result()[0] for each in answers)
        # a request that read the invitation before another accepted it: has an account (400)
        assert statuses.keys() - {400} == {303, 404, 503}
        assert statuses[303] == 1
    assert len(tenant.client.data("GET", "/members")) == 2


def test_waiting_writes_block_no_others(api: Api, tenant: Tenant) -> None:
    """They end with 503, not 500, as the lock times out."""

    def write(number: int) -> tuple[int, str | None]:
        path = f"/projects/{tenant.project_id}/campaigns"
        answer = tenant.client.post(path, json={"name": f"Spring {number}"})
        return answer.status_code, answer.headers.get("Retry-After")

    with (
        new_tenant(api) as other,
        ThreadPoolExecutor(15) as pool,
        psycopg.connect(api.store.dsn) as holder,
    ):
        holder.execute("select 1 from projects where id = %s for update", [tenant.project_id])
        writes = [pool.submit(write, number) for number in range(15)]
        wait_until_waiting(api.store.dsn, WRITES_OF_ONE)
        path = f"/projects/{other.project_id}/campaigns"
        other.client.data("POST", path, json={"name": "Autumn"})
        assert not any(each.done() for each in writes)
        answers = {each.result() for each in writes}
    assert answers <= {(503, "2"), (429, "2")}
    assert (503, "2") in answers
    assert tenant.client.data("GET", "/campaigns") == []


class Held:
    """Calls that start and do not end until the block does."""

    def __init__(self) -> None:
        self._begun, self._may_go, self.count = Semaphore(0), Event(), 0

    def wait_for(self, calls: int) -> None:
        for _ in range(calls):
            assert self._begun.acquire(timeout=60)

    def wait(self) -> None:
        self.count += 1
        self._begun.release()
        assert self._may_go.wait(60)

    @contextmanager
    def until_the_end(self) -> Iterator[None]:
        try:
            yield
        finally:
            self._may_go.set()


@pytest.mark.parametrize("rows", [0, 600], ids=["its first rows", "what is made while it is sent"])
def test_slow_exports_block_no_other_organizations_reads(
    api: Api, tenant: Tenant, monkeypatch: pytest.MonkeyPatch, rows: int
) -> None:
    """Exports had no share: as many as there are read threads stopped every read."""
    held, export = Held(), ListDataset.export

    def long_rows() -> Iterator[Sequence[Cell]]:
        yield from repeat(["a row"], rows)
        held.wait()

    def long_export(dataset: Any, source: Source, name: str, query: ExportQuery) -> Export:
        if source.caller.organization_id != tenant.organization_id:
            return export(dataset, source, name, query)
        return Export(["column"], long_rows(), None)

    monkeypatch.setattr(ListDataset, "export", long_export)
    with new_tenant(api) as other, ThreadPoolExecutor(2 * READ_THREADS) as pool:
        with held.until_the_end():
            exports = [
                pool.submit(tenant.client.get, "/exports/videos") for _ in range(2 * READ_THREADS)
            ]
            held.wait_for(STREAMS_OF_ONE)
            assert other.client.get("/creators").status_code == 200
            assert other.client.get("/exports/videos").status_code == 200
            assert held.count == STREAMS_OF_ONE
        assert {each.result().status_code for each in exports} == {200}


@pytest.mark.slow
@pytest.mark.skipif(READ_THREADS > WRITES_OF_ONE, reason="with more processors no batch waits")
def test_large_writes_and_reads_of_one_organization_share_its_processor_time(
    api: Api, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Six batches ran beside its reads, each in a thread that kept all others waiting."""
    held, make = Held(), batch.create_many

    def make_slowly(context: Any, *arguments: Any, **named: Any) -> Any:
        if context.organization_id == tenant.organization_id:
            held.wait()
        return make(context, *arguments, **named)

    monkeypatch.setattr(batch, "create_many", make_slowly)

    def send(organization: Tenant, number: int) -> int:
        names = (f"held.{number}.{account}" for account in range(100))
        accounts = [{"platform": "tiktok", "handle": name} for name in names]
        creators = [{"accounts": accounts[first : first + 20]} for first in range(0, 100, 20)]
        path = f"/projects/{organization.project_id}/creators"
        return organization.client.post(path, json={"creators": creators}).status_code

    with new_tenant(api) as other, ThreadPoolExecutor(20) as pool:
        with held.until_the_end():
            large = [pool.submit(send, tenant, number) for number in range(WRITES_OF_ONE)]
            held.wait_for(max(1, READ_THREADS - 1))
            read = pool.submit(tenant.client.get, "/creators")
            assert send(other, 0) == 201
            assert other.client.get("/creators").status_code == 200
            path = f"/projects/{tenant.project_id}/campaigns"
            tenant.client.data("POST", path, json={"name": "Autumn"})
            assert held.count == max(1, READ_THREADS - 1)
            assert not read.done()
        assert {each.result() for each in large} == {201}
        assert read.result().status_code == 200


def test_a_bucket_that_does_not_answer_blocks_no_reads(
    api: Api, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Requests for pictures occupied the threads and slots of reads, and a snapshot each."""
    held = Held()
    monkeypatch.setattr(FolderStorage, "find", lambda _storage, _path: held.wait())
    with (
        new_tenant(api) as second,
        new_tenant(api) as third,
        ThreadPoolExecutor(READ_THREADS) as pool,
        held.until_the_end(),
    ):
        for number in range(READ_THREADS):
            owner = (tenant, second)[number % 2]
            video = owner.video(number)["id"]
            keep_picture(owner, video)
            pool.submit(owner.client.get, f"/videos/{video}/thumbnail")
        held.wait_for(READ_THREADS)
        assert third.client.get("/creators").status_code == 200


def test_slow_icons_block_no_page_and_no_probe(
    api: Api, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each occupied a thread of pages and probes until the bucket answered."""
    held, asked_at_once = Held(), WAIT_THREADS + 1
    monkeypatch.setattr(FolderStorage, "read", lambda _storage, _path: held.wait())
    icon = f"{api.base_url}/files/orgs/{tenant.organization_id}/{uuid4()}/{uuid4()}.png"
    with ThreadPoolExecutor(asked_at_once) as pool, held.until_the_end():
        for _ in range(asked_at_once):
            pool.submit(httpx.get, icon, timeout=60)
        held.wait_for(4)
        assert httpx.get(f"{api.base_url}/readyz", timeout=30).status_code in {200, 503}
        assert held.count == 4  # the limit of one network


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/readyz", "/metrics"])
def test_a_probe_is_computed_once_a_second(
    api: Api, monkeypatch: pytest.MonkeyPatch, statements: list[str], path: str
) -> None:
    """Each used one of the 15 read connections, without a key and without a limit."""
    with api.changed() as served, ThreadPoolExecutor(WAIT_THREADS) as pool:
        monkeypatch.setattr(probe, "SECONDS", 3600.0)
        ask = partial(httpx.get, trust_env=False, verify=False, timeout=60)
        answers = list(pool.map(ask, [served.base_url + path] * WAIT_THREADS))
    assert len({(answer.status_code, answer.text) for answer in answers}) == 1
    table = "shared_publications" if path == "/readyz" else "from scrape_jobs"
    assert sum(table in each.lower() for each in statements) == 1


@pytest.mark.slow
def test_unknown_keys_of_agents_block_no_page(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each occupied a thread of pages, and then a connection that authenticated requests need."""
    held = Held()
    monkeypatch.setattr(mount, "identify", lambda _request: held.wait())
    with ThreadPoolExecutor(WAIT_THREADS + 1) as pool, held.until_the_end():
        for _ in range(WAIT_THREADS + 1):
            pool.submit(httpx.post, f"{api.base_url}/api/mcp", json={}, timeout=60)
        held.wait_for(READ_THREADS)
        assert httpx.get(f"{api.base_url}/api/v2/changelog", timeout=30).status_code == 200
        assert held.count == READ_THREADS


def keep_picture(tenant: Tenant, video: str) -> None:
    with tenant.api.store.write_session() as session:
        post = session.get_one(Video, video)
        key = {"platform": post.platform, "platform_video_id": post.platform_video_id}
        picture = {"url": "https://pictures.example.com/1", "path": "pictures/1.jpg"}
        session.merge(PostPicture(**key, **picture))
