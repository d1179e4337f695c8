"""Every page of the desk of a very large organization, visited by an owner's browser.

Each page is visited once and then repeatedly, each time for another creator, campaign, post or
amount. The server caches a publication's data, so the first visit is reported separately. At the
end the server precomputes the queries for a new publication, and each page is visited again.
"""

import gzip
import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from html import unescape
from math import ceil, inf
from pathlib import Path
from statistics import median
from time import clock_gettime, perf_counter, sleep
from urllib.parse import urlsplit

import httpx
import psutil

from tests.qa.benchmarks.desk_world import EMAIL, LARGE_CAMPAIGN, PASSWORD, DeskWorld, desk_world
from tests.serving_api.desk.test_who_may import OF_THE_PERSON, PAGES, PROJECT

VISITS = 20
LONGEST = 10.0
"""Limit of the later visits of a page together, in seconds: slow pages get fewer."""
QUIET = 0.05
"""Processor share of an idle server, which polls for work."""
LONG_ENOUGH = 3.0
"""Seconds after which a server has noticed a publication."""
SIGN_IN = "/desk/sign-in"
CAMPAIGN = f"{PROJECT}/campaigns/{LARGE_CAMPAIGN}"
VARIANTS = (
    f"{PROJECT}/creators?search=star",
    f"{PROJECT}/creators?search=creator",
    f"{PROJECT}/creators/ranked?metric=likes",
    f"{PROJECT}/creators/ranked?offset=5000",
    CAMPAIGN,
    f"{CAMPAIGN}/costs",
    f"{CAMPAIGN}/creators",
    f"{PROJECT}/posts?platform=instagram",
    f"{PROJECT}/posts/ranked?metric=likes",
    f"{PROJECT}/posts/ranked?offset=50000",
    f"{PROJECT}/payouts?status=open",
    f"{PROJECT}/payouts?status=settling",
    f"{PROJECT}/payouts?status=approved",
    f"{PROJECT}/payouts?status=paid",
    f"{PROJECT}/comments?signal=app_question",
    f"{PROJECT}/comments?q=called&sort=top",
    f"{PROJECT}/search?q=star",
    f"{PROJECT}/search?q=nothing has this",
    f"{PROJECT}?period=90",
    f"{PROJECT}/posts/ranked?period=7",
    f"{PROJECT}/creators/ranked?period=last-month",
    f"{PROJECT}/settings/goals?search=star",
    f"{PROJECT}/settings/share-links?search=star",
)
"""Filters, orders and later pages that people choose; for campaigns, of the largest."""


@dataclass(frozen=True)
class Took:
    """Wall clock seconds, and processor seconds of the server and PostgreSQL together."""

    clock: float
    processor: float


@dataclass(frozen=True)
class Visits:
    """The times of a page's visits, and the compressed bytes of script and style that it loads."""

    name: str
    first: Took
    later: list[Took]
    packed: int

    @property
    def p95(self) -> float:
        return _p95([visit.clock for visit in self.later])

    @property
    def p95_of_processor(self) -> float:
        return _p95([visit.processor for visit in self.later])

    @property
    def median(self) -> float:
        return median(visit.clock for visit in self.later)


def _p95(seconds: list[float]) -> float:
    return sorted(seconds)[ceil(0.95 * len(seconds)) - 1]


def visit_pages(folder: Path, creators: int) -> Iterator[tuple[Visits, Took]]:
    """Visit every page; yield its visits and the first visit of the next publication."""
    with (
        desk_world(folder / "shop", creators, 1 + VISITS) as world,
        closing(_Browser(world)) as browser,
    ):
        visits = [browser.visits(path) for path in paths()]
        world.publish_again()
        browser.wait_until_quiet()
        yield from zip(visits, map(browser.visit, paths()), strict=True)


def paths() -> list[str]:
    """Return the readable pages of a user and of a project."""
    pages = [name.split()[1] for name in (*sorted(OF_THE_PERSON), *PAGES) if name.startswith("GET")]
    return [*(path for path in pages if path != SIGN_IN), *VARIANTS]


class _Browser:
    def __init__(self, world: DeskWorld) -> None:
        self._visited = world.visited
        self._packed: dict[str, int] = {}
        self._client = httpx.Client(
            base_url=world.base_url, timeout=300, trust_env=False, follow_redirects=True
        )
        self._processes = [_serving_at(world.base_url), _postmaster_of(world.postgresql)]
        self._sign_in()

    def close(self) -> None:
        self._client.close()

    def visits(self, path: str) -> Visits:
        first, page = self._visit(path.format(**self._visited[0]))
        later: list[Took] = []
        for ids in self._visited[1:]:
            later.append(self._visit(path.format(**ids))[0])
            if sum(visit.clock for visit in later) > LONGEST:
                break
        return Visits(_name(path), first, later, self._packed_in(page))

    def visit(self, path: str) -> Took:
        """Visit a page like the first of its kind."""
        return self._visit(path.format(**self._visited[0]))[0]

    def wait_until_quiet(self) -> None:
        """Return once the server and PostgreSQL are idle."""
        used = -inf
        while self._used() - used > QUIET * LONG_ENOUGH:
            used = self._used()
            sleep(LONG_ENOUGH)

    def _sign_in(self) -> None:
        page = self._client.get(SIGN_IN).text
        form = re.search(r'name="form" value="([^"]+)"', page)
        if form is None:
            raise LookupError(page)
        sent = {"form": unescape(form[1]), "email": EMAIL, "password": PASSWORD, "to": "/desk"}
        self._client.post(SIGN_IN, data=sent).raise_for_status()

    def _visit(self, path: str) -> tuple[Took, str]:
        used, began = self._used(), perf_counter()
        answer = self._client.get(path)
        clock = perf_counter() - began
        took = Took(clock, self._used() - used)
        answer.raise_for_status()
        return took, answer.text if answer.headers["Content-Type"].startswith("text") else ""

    def _used(self) -> float:
        """Return the processor seconds of all processes that serve a page."""
        serving, postmaster = self._processes
        processes = [serving, postmaster, *postmaster.children()]
        return sum(_seconds_of(process.pid) for process in processes)

    def _packed_in(self, page: str) -> int:
        """Return the compressed bytes of a page's inline and loaded scripts and styles."""
        written = re.findall(r"<style>(.*?)</style>|<script>(.*?)</script>", page, re.DOTALL)
        sources = re.findall(r'<script src="([^"]+)"|<link rel="stylesheet" href="([^"]+)"', page)
        loaded = [self._client.get(unescape("".join(source))).text for source in sources]
        return sum(len(gzip.compress(text.encode())) for text in (*map("".join, written), *loaded))


def _seconds_of(process_id: int) -> float:
    """Return the processor seconds of a process, including ended threads (ns resolution)."""
    try:
        return clock_gettime(~process_id << 3 | 2)  # clock_getcpuclockid(3)
    except OSError:
        return 0.0


def _serving_at(base_url: str) -> psutil.Process:
    port = str(urlsplit(base_url).port)
    return next(child for child in psutil.Process().children() if child.cmdline()[-1] == port)


def _postmaster_of(folder: Path) -> psutil.Process:
    [pid_file] = folder.rglob("postmaster.pid")
    return psutil.Process(int(pid_file.read_text(encoding="utf-8").splitlines()[0]))


def _name(path: str) -> str:
    return path.removeprefix(PROJECT).replace(LARGE_CAMPAIGN, "{large campaign}") or "/"
