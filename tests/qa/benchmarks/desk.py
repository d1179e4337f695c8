"""Every page of the desk of an organization with very much, asked for by an owner's browser.

A page is visited once, and then often, each time about another creator, campaign, post or amount.
What a publication tells is kept by the server, so that the first visit is told apart. At last there
is another publication, which the server asks by itself what people asked of the one before, and
each page is visited once more.
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
"""Seconds that later visits of a page take together: one that takes seconds is visited less."""
QUIET = 0.05
"""What of a processor is no work: looking whether there is some."""
LONG_ENOUGH = 3.0
"""Seconds after which a server has seen a publication."""
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
"""Filters, orders and later pages that people choose; of a campaign the one with most in it."""


@dataclass(frozen=True)
class Took:
    """Seconds by the clock, and of the processor in the server and in PostgreSQL together."""

    clock: float
    processor: float


@dataclass(frozen=True)
class Visits:
    """What the visits of a page took, and how many bytes of script and style it loads, packed."""

    name: str
    first: Took
    later: list[Took]
    packed: int

    @property
    def p95(self) -> float:
        """Return the seconds in which 95 of 100 later visits were answered."""
        return _p95([visit.clock for visit in self.later])

    @property
    def p95_of_processor(self) -> float:
        """Return how much of a processor 95 of 100 later visits took at most."""
        return _p95([visit.processor for visit in self.later])

    @property
    def median(self) -> float:
        """Return the median seconds of a later visit."""
        return median(visit.clock for visit in self.later)


def _p95(seconds: list[float]) -> float:
    return sorted(seconds)[ceil(0.95 * len(seconds)) - 1]


def visit_pages(folder: Path, creators: int) -> Iterator[tuple[Visits, Took]]:
    """Visit every page; yield what that took, and the first visit of the next publication."""
    with (
        desk_world(folder / "shop", creators, 1 + VISITS) as world,
        closing(_Browser(world)) as browser,
    ):
        visits = [browser.visits(path) for path in paths()]
        world.publish_again()
        browser.wait_until_quiet()
        yield from zip(visits, map(browser.visit, paths()), strict=True)


def paths() -> list[str]:
    """Return the pages that can be read, of whoever is signed in, and of a project."""
    pages = [name.split()[1] for name in (*sorted(OF_THE_PERSON), *PAGES) if name.startswith("GET")]
    return [*(path for path in pages if path != SIGN_IN), *VARIANTS]


class _Browser:
    """Somebody who is signed in."""

    def __init__(self, world: DeskWorld) -> None:
        self._visited = world.visited
        self._packed: dict[str, int] = {}
        self._client = httpx.Client(
            base_url=world.base_url, timeout=300, trust_env=False, follow_redirects=True
        )
        self._processes = [_serving_at(world.base_url), _postmaster_of(world.postgresql)]
        self._sign_in()

    def close(self) -> None:
        """Forget the person."""
        self._client.close()

    def visits(self, path: str) -> Visits:
        """Visit a page, and then others of the same kind."""
        first, page = self._visit(path.format(**self._visited[0]))
        later: list[Took] = []
        for ids in self._visited[1:]:
            later.append(self._visit(path.format(**ids))[0])
            if sum(visit.clock for visit in later) > LONGEST:
                break
        return Visits(_name(path), first, later, self._packed_in(page))

    def visit(self, path: str) -> Took:
        """Visit a page that was the first of its kind."""
        return self._visit(path.format(**self._visited[0]))[0]

    def wait_until_quiet(self) -> None:
        """Return once nobody serves anything, and nothing is prepared."""
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
        """Return the seconds of a processor that all processes have used that serve a page."""
        serving, postmaster = self._processes
        processes = [serving, postmaster, *postmaster.children()]
        return sum(_seconds_of(process.pid) for process in processes)

    def _packed_in(self, page: str) -> int:
        """Return the bytes of script and style that a page has and loads, each packed by itself."""
        written = re.findall(r"<style>(.*?)</style>|<script>(.*?)</script>", page, re.DOTALL)
        sources = re.findall(r'<script src="([^"]+)"|<link rel="stylesheet" href="([^"]+)"', page)
        loaded = [self._client.get(unescape("".join(source))).text for source in sources]
        return sum(len(gzip.compress(text.encode())) for text in (*map("".join, written), *loaded))


def _seconds_of(process_id: int) -> float:
    """Return how long a process kept processors busy, to the nanosecond, ended threads included."""
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
