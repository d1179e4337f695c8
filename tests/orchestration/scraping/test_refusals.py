"""A platform that refuses is reported within one pipeline run: since when, how, and what to do."""

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler
from socket import SHUT_RDWR

import httpx
import pytest
import stamina
import typer
from dagster import AssetCheckResult, AssetKey
from sqlalchemy import select

from orchestration.cli import run
from orchestration.cli.doctor.checks.publication import check_publication
from orchestration.cli.doctor.finding import Finding, Installation
from orchestration.running.pipeline import run_pipeline
from orchestration.running.progress import Progress
from orchestration.scraping.crawl import Tally
from orchestration.scraping.crawl_report import progress_reports, refusals_among, reported
from orchestration.scraping.fetches import Fetch
from scrapers.outcomes import Outcome
from scrapers.refusing import REFUSALS, remedy
from scrapers.simulator import Fault, FaultKind, Faults, RunningSimulator, running_simulator
from scrapers.snapshots import ScrapeReport
from serving_api.desk.health.words import words_of
from tests.doses import sample
from tests.factories.tracking import add_account, add_video
from tests.fixtures.api import running_api
from tests.fixtures.http_server import serving
from tests.orchestration.conftest import FIRST_DAY
from tests.orchestration.own_provider import DEMO, NOON
from tests.scrapers.test_refusal_table import KINDS
from warehouse.operational.models import Account, ScrapeJob
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.store import OperationalStore
from warehouse.platforms import PLATFORMS
from warehouse.publication.current import CurrentPublication
from warehouse.reading.fetches import outcomes_by_platform
from warehouse.scrape_jobs.queue import enqueue
from warehouse.settings import Settings
from warehouse.webhooks.states import STATES


def platforms(settings: Settings) -> dict[str, Finding]:
    findings = check_publication(Installation(settings, "127.0.0.1", 8000))
    return {each.message.split(":")[0]: each for each in findings if each.subject == "platforms"}


@pytest.mark.slow
def test_one_run_reports_it(
    scraping: Settings, two_tracked: list[str], simulator: RunningSimulator
) -> None:
    walls = Faults(rules=(Fault(kind=FaultKind.CHALLENGE, path="/tiktok/*"),))
    with running_simulator(simulator.world, faults=walls) as walled:
        walled.set_now(FIRST_DAY)
        facing = scraping.model_copy(update={"tiktok_base_url": walled.tiktok_url})
        result = run_pipeline(facing)

    [warning] = [each for each in result.warnings if "landing/tiktok" in each]
    assert "tiktok answered 0 of 2 fetches; 2 ended as challenged: the platform blocks" in warning
    assert not [each for each in result.warnings if "landing/instagram" in each]

    finding_by_platform = platforms(scraping)
    assert (finding_by_platform["tiktok"].level, finding_by_platform["instagram"].level) == (
        "bad",
        "ok",
    )
    assert "answered 0 of the last 2 fetches; refusing since 2026-09-01" in (
        finding_by_platform["tiktok"].message
    )
    assert "now challenged" in finding_by_platform["tiktok"].message
    way_out = finding_by_platform["tiktok"].way_out or ""
    assert "connect-links" in way_out
    assert "TRACKER_TIKTOK_PROVIDERS" in way_out
    assert "TRACKER_TIKTOK_PROVIDERS" in warning


@pytest.mark.slow
def test_behind_a_long_pause_the_rest_is_left_and_jobs_wait(
    scraping: Settings,
    two_tracked: list[str],
    simulator: RunningSimulator,
    store: OperationalStore,
) -> None:
    """The platform gets three requests, however much there is to fetch; no fetch is used up."""
    with store.write_session() as session:
        for account in session.scalars(select(Account).where(Account.platform == "tiktok")):
            enqueue(session, job_type="discover_videos", account=account)
    limited = Fault(kind=FaultKind.RATE_LIMITED, path="/tiktok/*", retry_after_seconds=300)
    with running_simulator(simulator.world, faults=Faults(rules=(limited,))) as strict:
        strict.set_now(FIRST_DAY)
        facing = scraping.model_copy(
            update={"tiktok_base_url": strict.tiktok_url, "scrape_concurrency": 1}
        )
        result = run_pipeline(facing)
        hits = httpx.get(f"{strict.base_url}/_simulator/faults/met", trust_env=False).json()

    [warning] = [each for each in result.warnings if "landing/tiktok" in each]
    assert "tiktok answered 0 of 0 fetches and requested a pause of" in warning
    assert hits == [1]
    finding = platforms(scraping)["tiktok"]
    assert (finding.level, "now rate_limited" in finding.message) == ("bad", True)
    with store.read_session() as session:
        jobs = session.scalars(select(ScrapeJob)).all()
    assert {(job.status, job.attempts, job.error) for job in jobs} == {("queued", 0, None)}
    assert all(job.not_before and job.not_before > datetime.now(UTC) for job in jobs)


def test_a_line_each_minute_says_why_nothing_is_requested(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise a run is silent for as long as its platform's routes pause."""
    reports, seconds = list[Progress](), iter(range(0, 130, 10))
    report = progress_reports("scrape tiktok", reports.append)
    monkeypatch.setattr("orchestration.scraping.crawl_report.monotonic", lambda: next(seconds))
    detail = "not sent for another 42 s: backing off; list: likewise"
    paused = ScrapeReport(outcome=Outcome.CHALLENGED, source="own", detail=detail, was_sent=False)
    for answer in (ScrapeReport(outcome=Outcome.OK, source="own"), *[paused] * 12):
        report(
            Fetch(
                job_type="creator_profiles",
                target=DEMO,
                job_id=None,
                report=answer,
                started_at=NOON,
                finished_at=NOON,
            )
        )
    lines = [each.note for each in reports if each.step == "wait"]
    assert lines == ["TikTok: not sent for another 42 s: backing off"] * 2


@pytest.mark.parametrize(
    ("outcomes", "refused"),
    [
        ({"ok": 3, "not_found": 2, "private": 1}, 0),
        ({"ok": 3, "schema_changed": 2, "rate_limited": 1}, 3),
        ({}, 0),
    ],
)
def test_answers_that_say_nothing_about_an_account_are_refusals(
    outcomes: dict[str, int], refused: int
) -> None:
    assert refusals_among(Counter(outcomes)).total() == refused


@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize("outcome", sorted(REFUSALS))
def test_advice_names_only_existing_settings_of_the_platform(
    outcome: Outcome, platform: str
) -> None:
    advice = remedy(outcome, platform)
    setting_names = set(re.findall(r"TRACKER_[A-Z][A-Z_]*", advice))
    assert setting_names <= {f"TRACKER_{name.upper()}" for name in Settings.model_fields}
    others = [other for other in PLATFORMS if other != platform]
    assert "<PLATFORM>" not in advice
    assert not any(f"TRACKER_{other.upper()}" in advice for other in others)


@pytest.mark.parametrize(
    ("http_status", "way_out"),
    [(503, "it answers HTTP 503: it is disturbed"), (None, "HTTP 5xx or no response: ")],
)
def test_a_platform_that_answers_5xx_is_not_unreachable(
    http_status: int | None, way_out: str
) -> None:
    tally = Tally(outcomes=Counter(unreachable=1))
    tally.log.note("creator_profiles", Outcome.UNREACHABLE, FIRST_DAY, http_status)
    [_, check] = reported(AssetKey(["landing", "tiktok"]), "tiktok", tally)
    assert isinstance(check, AssetCheckResult)
    assert f"1 ended as unreachable: {way_out}" in (check.description or "")


def test_every_outcome_is_an_answer_or_a_refusal() -> None:
    answers = {"ok", "not_found", "banned", "post_unavailable", "private", "gated"}
    assert {outcome.value for outcome in REFUSALS} | answers == {
        outcome.value for outcome in Outcome
    }
    assert not answers & REFUSALS


@contextmanager
def site_that_answers(answer: httpx.Response | Exception) -> Iterator[str]:
    """Yield the URL of a site that answers every request alike, or hangs up."""

    class Site(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if isinstance(answer, Exception):
                self.connection.shutdown(SHUT_RDWR)
                return
            self.send_response(answer.status_code)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer.content)

        do_POST = do_GET  # noqa: N815  # what the server calls

    with serving(Site) as url:
        yield url


def track(store: OperationalStore, owner: NewOrganization, platform: str, kind: str) -> None:
    """Track thirty accounts that were read before, or such posts of inactive accounts."""
    asked_no_more = {"deactivated_at": FIRST_DAY} if kind == "post" else {}
    for number in range(30):
        platform_id = f"70000000000000000{number:02}"
        about = {"platform": platform, "platform_user_id": platform_id, **asked_no_more}
        account = add_account(store, owner, f"seen.before.{number}", **about)
        if kind == "post":
            read = {"account": account, "last_scraped_at": FIRST_DAY - timedelta(days=1)}
            add_video(store, owner, platform_id, platform=platform, **read)


@pytest.mark.slow
@pytest.mark.parametrize(
    "refusal", sample(KINDS, 1), ids=lambda refusal: " ".join(map(str, refusal[:3]))
)
def test_seven_places_report_it_at_once(  # noqa: PLR0917  fixtures
    scraping: Settings,
    store: OperationalStore,
    organization: NewOrganization,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    refusal: tuple[str, str, str, httpx.Response | Exception, str],
) -> None:
    """Kinds are those of tests/scrapers/test_refusal_table.py; retries do not wait."""
    platform, kind, _, answer, outcome = refusal
    track(store, organization, platform, kind)
    with site_that_answers(answer) as site, stamina.set_testing(True, attempts=99, cap=True):
        away = scraping.model_copy(update={f"{platform}_base_url": f"{site}/{platform}"})
        monkeypatch.setattr(run, "settings_of_environment", lambda: away)
        with pytest.raises(typer.Exit) as left:
            run.run(no_comments=True)
    assert left.value.exit_code == 3
    printed = " ".join(capsys.readouterr().err.split())
    assert f"refusing since 2026-09-01T06:00:00+00:00, now {outcome}" in printed

    finding = platforms(scraping)[platform]
    assert (finding.level, f"now {outcome}" in finding.message) == ("bad", True)
    current = CurrentPublication(scraping.publications_path)
    with current.cursor() as cursor:
        outcomes = {each for _, each, _ in outcomes_by_platform(cursor)}
        cursor.execute(
            "create temp table listening as select organization_id from marts.organizations"
        )
        [query] = [state.query for state in STATES if state.type == "platform.refusing"]
        [event] = cursor.execute(query, {}).fetchall()
    current.close()
    assert outcomes == {outcome}
    assert (event[1], event[3]["outcome"]) == (platform, outcome)

    with running_api(away, store) as served, served.client(organization.api_key) as client:
        project = client.data("GET", "/projects")[0]["id"]
        health = client.data("GET", f"/projects/{project}/program-health")
        metrics = httpx.get(f"{served.base_url}/metrics", trust_env=False).text
    [refused] = health["alerts"]["tracking_gaps"]["refused_platforms"]
    assert (refused["platform"], refused["outcome"]) == (platform, outcome)
    since = "tracker_platform_refusing_since_timestamp_seconds"
    assert f'{since}{{outcome="{outcome}",platform="{platform}"}}' in metrics
    assert words_of(refused["outcome"]) is not words_of("unknown")
