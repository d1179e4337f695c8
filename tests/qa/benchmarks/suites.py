"""The benchmarks: what each measures, in which order, with which target."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from statistics import median

from tests.qa.benchmarks import (
    analytics,
    comments,
    crowds,
    desk,
    lists,
    models,
    passes,
    payouts,
    publications,
    registering,
    simulations,
)
from tests.qa.benchmarks.child import Measured, measured
from tests.qa.benchmarks.report import GIB, Figure
from tests.qa.benchmarks.world import (
    ENDS,
    HOURS_OF_A_PASS,
    ONE_DAY,
    PASSES_A_DAY,
    Size,
    World,
    add_day,
    add_hour,
    add_pass,
    make_world,
)

VIDEOS = 20_000
CREATORS = 500
DAYS = 180
PAID_CREATORS = 5_000
DAYS_OF_REQUESTS = 60
MOST_MEMORY = 4.0
"""GiB resident at once."""
MIB = 1024**2
EXTRA_DAYS = 3
"""One more day is measured this often; the median counts."""
HOURS = 4
"""An hour is published this often; the median counts."""
OLD = timedelta(days=75)

Suite = Callable[[Path, float], Iterator[Figure]]


def size_of(scale: float, days: int) -> Size:
    """Return the size of a history; `scale` 1 has VIDEOS posts and CREATORS creators."""
    return Size(max(round(VIDEOS * scale), 100), max(round(CREATORS * scale), 20), days)


def history(folder: Path, scale: float) -> Iterator[Figure]:
    """A whole history, one more day of it, and both again with twice the history."""
    world = make_world(folder / "history", size_of(scale, DAYS))
    by_hand = measured(models.run_hand_script, world.home, ENDS, folder / "hand.duckdb")
    yield from _whole_history(world, by_hand, folder / "hand.duckdb")
    copied = measured(publications.copy_database, folder / "hand.duckdb", folder / "copy.duckdb")
    published = measured(publications.publish_run, world.home, ENDS)
    yield _ratio("full publication", published, copied, "COPY FROM DATABASE", 1.6)
    yield from _reads(world, folder)
    built, next_published = _more_days(world)
    models.require_equal(world.home, _by_hand_after(world, ENDS + EXTRA_DAYS * ONE_DAY, folder))
    yield _ratio("one more day, models", built, by_hand, "hand script", 0.10)
    yield _ratio("one more day, publication", next_published, copied, "COPY FROM DATABASE", None)
    yield _ratio("one more day, publication", next_published, published, "full publication", 0.40)
    yield _six_hours_later(world, published)
    hour = _hours_later(world, 24 * EXTRA_DAYS + HOURS_OF_A_PASS)
    yield from _beside_whole(world, hour)
    yield from _doubled(folder, scale, built, next_published)


def _six_hours_later(world: World, whole: Measured) -> Figure:
    """Return the share of a publication that is written after one more pass of readings."""
    as_of = add_pass(world.settings, EXTRA_DAYS * PASSES_A_DAY)
    measured(models.run_models, world.home, as_of)
    later = measured(publications.publish_run, world.home, as_of)
    own, everything = publications.bytes_of_last(world.home)
    parts = f"{own / 1e6:.1f} MB : {everything / 1e6:.1f} MB; processor {later.cpu_seconds:.1f} s"
    parts += f" : {whole.cpu_seconds:.1f} s (full publication)"
    return Figure("six hours later, bytes of a publication", own / everything, "x", parts, 0.25)


def _hours_later(world: World, first: int) -> float:
    """Return the processor time of publishing an hour's readings: the median of HOURS in a row."""
    published = []
    for hour in range(first, first + HOURS):
        as_of = add_hour(world.settings, hour)
        measured(models.run_models, world.home, as_of)
        published.append(measured(publications.publish_run, world.home, as_of))
    return median(hour.cpu_seconds for hour in published)


def _beside_whole(world: World, hour: float) -> Iterator[Figure]:
    """Yield the cost of the last hour's publication as a share of one written whole."""
    own, everything = publications.bytes_of_last(world.home)
    whole = measured(publications.publish_whole, world.home)
    name = f"an hour after {world.size.snapshots / 1e6:.1f} M snapshots"
    parts = f"{own / 1e6:.1f} MB : {everything / 1e6:.1f} MB (a new base)"
    yield Figure(f"{name}, bytes of a publication", own / everything, "x", parts, 0.02)
    parts = f"processor {hour:.2f} s : {whole.cpu_seconds:.2f} s (a new base)"
    yield Figure(f"{name}, publication", hour / whole.cpu_seconds, "x", parts, 0.05)


def _whole_history(world: World, by_hand: Measured, target: Path) -> Iterator[Figure]:
    built = measured(models.run_models, world.home, ENDS)
    models.require_equal(world.home, target)
    name = f"full build, {world.size.snapshots / 1e6:.1f} M snapshots"
    yield _ratio(name, built, by_hand, "hand script", 1.8)
    yield _memory(name, built)
    yield _memory("hand script", by_hand, target=None)


def _reads(world: World, folder: Path) -> Iterator[Figure]:
    native = folder / "native.duckdb"
    measured(publications.sort_for_reading, folder / "hand.duckdb", native)
    for name, until, target in (
        ("30 days of a creator's readings", ENDS, 1.6),
        ("the same, long ago", ENDS - OLD, None),
    ):
        ours, theirs = publications.read_seconds(world.home, native, until)
        parts = f"{ours * 1000:.2f} ms : {theirs * 1000:.2f} ms (one native file)"
        yield Figure(name, ours / theirs, "x", parts, target)


def _doubled(folder: Path, scale: float, built: Measured, published: Measured) -> Iterator[Figure]:
    double = make_world(folder / "double", size_of(scale, 2 * DAYS))
    measured(models.run_models, double.home, ENDS)
    measured(publications.publish_run, double.home, ENDS)
    built_again, published_again = _more_days(double)
    what = "that of half the history"
    yield _ratio("one more day at double history, models", built_again, built, what, 1.2)
    yield _ratio(
        "one more day at double history, publication", published_again, published, what, 1.2
    )


def pay(folder: Path, scale: float) -> Iterator[Figure]:
    """Half a year of payouts for 5,000 creators with evidence, and one more day.

    The day is measured again with everything paid.
    """
    size = Size(size_of(scale, DAYS).videos, max(round(PAID_CREATORS * scale), 20), DAYS)
    world = make_world(folder / "payouts", size, payouts.SCRIPT)
    by_hand = folder / "by_hand.duckdb"
    measured(payouts.run_other_models, world.home, ENDS)
    built = measured(payouts.run_payout_models, world.home)
    plain = measured(payouts.run_by_hand, world.home, ENDS, DAYS, by_hand)
    payouts.require_equal(world.home, by_hand)
    name = f"full build of payouts, {payouts.cpm_periods(world.home) / 1e6:.2f} M cpm periods"
    yield Figure(name, built.seconds, "s", f"processor {built.cpu_seconds:.1f} s", 15.0)
    yield _ratio(name, built, plain, "plain script", 1.0)
    yield _memory(name, built)
    measured(publications.publish_run, world.home, ENDS)
    paid = payouts.everything_paid(world, folder / "everything paid")
    _one_more_day_of_payouts(paid, 0)  # unmeasured: recomputes all paid accruals
    days, days_paid = [], []
    for day in range(EXTRA_DAYS):
        days.append(_one_more_day_of_payouts(world, day))
        days_paid.append(_one_more_day_of_payouts(paid, day + 1))
    measured(payouts.run_by_hand, world.home, ENDS + EXTRA_DAYS * ONE_DAY, DAYS, by_hand)
    payouts.require_equal(world.home, by_hand)
    yield _ratio("one more day, models of payouts", _median(days), built, "full build", 0.10)
    yield _paid_beside_unpaid(payouts.frozen_accruals(paid.home), days_paid, days)


def _paid_beside_unpaid(frozen: int, paid: list[Measured], unpaid: list[Measured]) -> Figure:
    """Return the ratio of the medians of processor time, of days computed in turns."""
    ours, theirs = (median(day.cpu_seconds for day in days) for days in (paid, unpaid))
    name = f"the same with everything paid, {frozen / 1e6:.2f} M frozen accruals"
    parts = f"processor {ours:.2f} s : {theirs:.2f} s (nothing paid)"
    return Figure(name, ours / theirs, "x", parts, 1.3)


def _one_more_day_of_payouts(world: World, day: int) -> Measured:
    as_of = add_day(world.settings, day)
    measured(payouts.run_other_models, world.home, as_of)
    took = measured(payouts.run_payout_models, world.home)
    measured(publications.publish_run, world.home, as_of)
    return took


def pass_of_little(folder: Path, scale: float) -> Iterator[Figure]:
    """A build against dbt's own; the size is the same at any scale."""
    del scale
    took = passes.seconds_of_builds(folder / "passes")
    ours, theirs = took["all"], took[passes.DBT]
    parts = f"processor {ours:.2f} s : {theirs:.2f} s (dbt build)"
    yield Figure("a small build with its tests", ours / theirs, "x", parts, 0.6)
    for kind, aim in (("one kind", 1), ("nothing", 0.8)):
        parts = f"processor {took[kind]:.2f} s : {ours:.2f} s (all of it made)"
        yield Figure(f"the same where {kind} was decided", took[kind] / ours, "x", parts, aim)
    seconds = passes.seconds_of_pass(folder / "whole")
    yield Figure("a small pass", seconds, "s", "processor, with Dagster's own", 1.5)


def requests(folder: Path, scale: float) -> Iterator[Figure]:
    """GET /analytics over HTTP, by one client and by several."""
    world = make_world(folder / "requests", size_of(scale, DAYS_OF_REQUESTS))
    measured(models.run_models, world.home, ENDS)
    measured(publications.publish_run, world.home, ENDS)
    for name, answers in analytics.ask_all(world).items():
        alone = answers.alone
        yield Figure(
            f"GET /analytics from the {name}, 1 client",
            alone.median_seconds * 1000,
            "ms",
            f"99% {alone.slow_seconds * 1000:.1f} ms",
            5.0,
        )
        crowd = answers.crowd
        yield Figure(
            f"GET /analytics from the {name}, {crowd.clients} clients",
            crowd.answers_a_second,
            "/s",
            f"median {crowd.median_seconds * 1000:.1f} ms, 99% {crowd.slow_seconds * 1000:.1f} ms,"
            f" {answers.processor_seconds * 1000:.2f} ms of the server's processor each",
            400.0,
            is_least=True,
        )


MOST_OF_A_PAGE = 300.0
"""95th percentile in milliseconds."""
MOST_PACKED = 150.0
"""Kilobytes of script and style that a page loads, compressed."""


def visit_desk(folder: Path, scale: float) -> Iterator[Figure]:
    """Every page of the desk at 10,000 creators and 200,000 posts, the slowest first."""
    creators = max(round(lists.CREATORS * scale), lists.ROWS)
    visited = sorted(desk.visit_pages(folder, creators), key=lambda visit: -visit[0].p95)
    for page, next_fetch in visited:
        parts = (
            f"processor {page.p95_of_processor * 1000:.0f} ms; median {page.median * 1000:.0f} ms;"
            f" the first visit {page.first.clock * 1000:.0f} ms, processor"
            f" {page.first.processor * 1000:.0f} ms; of the next publication"
            f" {next_fetch.clock * 1000:.0f} ms, processor {next_fetch.processor * 1000:.0f} ms"
        )
        yield Figure(f"desk {page.name}", page.p95 * 1000, "ms", parts, MOST_OF_A_PAGE)
    pages = [page for page, _ in visited]
    first = max(pages, key=lambda page: page.first.clock)
    parts_of_figure = f"{first.name}, processor {first.first.processor * 1000:.0f} ms"
    yield Figure("desk, the slowest first visit", first.first.clock * 1000, "ms", parts_of_figure)
    slowest, next_fetch = max(visited, key=lambda pair: pair[1].clock)
    parts_of_figure = f"{slowest.name}, processor {next_fetch.processor * 1000:.0f} ms; asked ahead"
    yield Figure("desk, of the next publication", next_fetch.clock * 1000, "ms", parts_of_figure)
    parts_of_figure = f"95 of 100 visits of half of {len(pages)} pages"
    yield Figure(
        "desk, the median page", median(page.p95 for page in pages) * 1000, "ms", parts_of_figure
    )
    heaviest = max(pages, key=lambda page: page.packed)
    yield Figure(
        "desk, script and style of a page", heaviest.packed / 1000, "kB", heaviest.name, MOST_PACKED
    )


def register_batches(folder: Path, scale: float) -> Iterator[Figure]:
    """Readings per second of wall clock, with PostgreSQL on the same two processors."""
    step = registering.ACCOUNTS_A_BATCH
    accounts = max(round(CREATORS * scale / step), 1) * step
    home = registering.make_registry(folder / "registration", accounts).home_path
    rounds = 6
    new = measured(registering.register, home, accounts, 0, 1)
    known = measured(registering.register, home, accounts, 1, rounds)
    readings = accounts * registering.POSTS_OF_EACH
    batches = accounts // step
    yield _rate("readings of new posts registered", readings, new, batches, 10_000)
    yield _rate(
        "readings of known posts registered", rounds * readings, known, rounds * batches, 15_000
    )
    yield _memory("registering", known, target=None)


def _rate(name: str, readings: int, took: Measured, batches: int, target: float | None) -> Figure:
    parts = (
        f"{batches} batches of {readings // batches:,}, {batches / took.seconds:.1f} a second;"
        f" {took.cpu_seconds:.1f} of {took.seconds:.1f} s are ours, not PostgreSQL's"
    )
    return Figure(name, readings / took.seconds, "/s", parts, target, is_least=True)


def simulate_payouts(folder: Path, scale: float) -> Iterator[Figure]:
    """What other rules would have paid: a small query, and one near the maximum size."""
    small = simulations.Workload(creators=50, posts=20, days=30, readings_a_day=4)
    posts = max(round(25 * scale), 1)
    large = simulations.Workload(creators=100, posts=posts, days=31, readings_a_day=4)
    for size, targets in ((small, (1.0, None)), (large, (None, None))):
        home = folder / f"{size.readings} readings"
        home.mkdir(parents=True)
        simulations.make_publication(home, size)
        runs = (simulations.run_simulation, simulations.run_search)
        for what, run, target in zip(("simulation", "search"), runs, targets, strict=True):
            took = measured(run, home, size)
            name = f"{what} over {size.readings:,} readings"
            parts = f"processor {took.cpu_seconds:.2f} s"
            yield Figure(name, took.seconds, "s", parts, target)
            yield Figure(f"{name}, memory", took.peak_bytes / MIB, "MiB", "resident at once", 512.0)


def read_comments(folder: Path, scale: float) -> Iterator[Figure]:
    """A million comments scored and aggregated, and queries about a month of 80,000."""
    count = max(round(comments.COMMENTS * scale), 20_000)
    settings, organization = comments.make_comments(folder / "comments", count)
    scored, summed = comments.build(settings.home_path)
    yield Figure(
        f"{count:,} comments scored and summed up, by one processor",
        count / (scored.cpu_seconds + summed.cpu_seconds),
        "/s",
        f"processor: scoring {scored.cpu_seconds:.1f} s, marts {summed.cpu_seconds:.1f} s",
        5_000.0,
        is_least=True,
    )
    yield _memory("scoring", scored, target=None)
    for name, seconds in comments.ask(settings, organization):
        target = 30.0 if name == "comments with q" else None
        yield Figure(f"GET {name}", seconds * 1000, "ms", "median over HTTP", target)


def be_busy(folder: Path, scale: float) -> Iterator[Figure]:
    """The answers of 19 organizations during another's busiest minute; the size is fixed."""
    del scale
    alone, beside, results = crowds.answer_beside(folder / "busy")
    sent = sum(results.values())
    for name in crowds.MEASURED:
        for where, with_it, without in (
            ("", beside.seconds[name], alone.seconds[name]),
            (" in the server", beside.inside[name], alone.inside[name]),
        ):
            many, few = crowds.p99(with_it), crowds.p99(without)
            parts = f"{many * 1000:.0f} ms : {few * 1000:.0f} ms (without it)"
            parts += f"; medians {median(with_it) * 1000:.0f} : {median(without) * 1000:.0f} ms"
            parts += f"; the busy one got {sent:,} answers"
            what = f"{name} beside a busy organization{where}, p99"
            yield Figure(what, many / few, "x", parts, 3.0)
    busy = ", ".join(f"{number} x {kind}" for kind, number in sorted(results.items()))
    request_count = sum(len(each) for each in beside.seconds.values())
    parts = f"of {request_count:,}; the busy one got {busy}"
    yield Figure("refused or failed beside a busy organization", len(beside.failed), "", parts, 0.0)


SUITES: dict[str, Suite] = {
    "history": history,
    "payouts": pay,
    "passes": pass_of_little,
    "requests": requests,
    "desk": visit_desk,
    "registration": register_batches,
    "simulations": simulate_payouts,
    "comments": read_comments,
    "busy": be_busy,
}


def _more_days(world: World) -> tuple[Measured, Measured]:
    """Return the measurements of building and publishing one more day: the median of EXTRA_DAYS."""
    built, published = [], []
    for day in range(EXTRA_DAYS):
        as_of = add_day(world.settings, day)
        built.append(measured(models.run_models, world.home, as_of))
        published.append(measured(publications.publish_run, world.home, as_of))
    return _median(built), _median(published)


def _median(of: list[Measured]) -> Measured:
    return sorted(of, key=lambda measurement: measurement.seconds)[len(of) // 2]


def _by_hand_after(world: World, as_of: datetime, folder: Path) -> Path:
    target = folder / "after.duckdb"
    measured(models.run_hand_script, world.home, as_of, target)
    return target


def _ratio(name: str, ours: Measured, other: Measured, what: str, target: float | None) -> Figure:
    parts = (
        f"{ours.seconds:.2f} s : {other.seconds:.2f} s ({what});"
        f" processor {ours.cpu_seconds:.1f} s : {other.cpu_seconds:.1f} s"
    )
    return Figure(name, ours.seconds / other.seconds, "x", parts, target)


def _memory(name: str, took: Measured, target: float | None = MOST_MEMORY) -> Figure:
    parts = f"peak resident, {took.seconds:.1f} s"
    return Figure(f"{name}, memory", took.peak_bytes / GIB, "GiB", parts, target)
