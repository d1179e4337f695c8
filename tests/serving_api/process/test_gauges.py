"""Metrics of `/metrics` besides requests."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import text

from serving_api.kit.published import Published
from serving_api.process.gauges import gauges_of
from tests.factories import marts
from tests.factories.tracking import add_account
from tests.fixtures.api import NOW, Api, Tenant, new_tenant, publish_history, running_api
from tests.fixtures.buckets import Bucket
from tests.fixtures.prometheus import MONITORING, prometheus
from tests.qa.faults.test_disk_full import mounted
from warehouse.clock import system_clock
from warehouse.fetch_schedule.members import plan_everything
from warehouse.full_disk import disks
from warehouse.ids import uuid7
from warehouse.landing.bucket import open_landing_bucket
from warehouse.operational.models import Account, WebhookEndpoint
from warehouse.operational.spending import Spent, add
from warehouse.scrape_jobs.queue import enqueue
from warehouse.settings import Settings
from warehouse.shards.publications import ShardPublications
from warehouse.step_metrics import AssetMade, note_failure, note_success

NO_PROMETHEUS = "Prometheus is not installed (Debian: apt-get install prometheus)"

Values = Mapping[tuple[str, tuple[str, ...]], float]


def read(api: Api) -> Values:
    """Every sample, by its name and its label values in the order of label names."""
    text = httpx.get(api.base_url + "/metrics", trust_env=False).text
    return {
        (sample.name, tuple(value for _, value in sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


@pytest.fixture(scope="module")
def tenant(api: Api) -> Iterator[Tenant]:
    with new_tenant(api) as made:
        yield made


HISTORY = """
    insert into leases (name, holder, fence, expires_at)
    values ('dagster', 'this machine', 1, now() + interval '2 minutes'),
        ('scraper host 1', 'host 1', 1, now());
    insert into host_paces (egress, host, state)
    select '', name, json_build_object('paused_until', extract(epoch from now()) + seconds)
    from (values ('www.instagram.com', 3600), ('ended', -1), ('clock was ahead', 7200))
    as hosts (name, seconds);
    create schema dagster;
    create table dagster.daemon_heartbeats as select localtimestamp as timestamp;
    create table dagster.instigators as
    select 'a' as selector_id, '{"origin": {"job_name"\\: "landed_batches"}}' as instigator_body;
    create table dagster.job_ticks as
    select 'a' as selector_id, localtimestamp as timestamp, 'SKIPPED' as status
    union all select 'a', localtimestamp - interval '1 hour', 'FAILURE';
"""
"""The tables and rows of Dagster that `/metrics` reads."""


@pytest.fixture(scope="module")
def at_work(api: Api, tmp_path_factory: pytest.TempPathFactory, tenant: Tenant) -> Iterator[Api]:
    """An installation with a value for every metric."""
    settings = api.settings.model_copy(update={"home": tmp_path_factory.mktemp("at_work")})
    account_id = add_account(api.store, tenant.made, "demo.watched")
    with api.store.write_session() as session:
        account = session.get_one(Account, account_id)
        enqueue(session, job_type="creator_profiles", account=account)
        plan_everything(session)
    tenant.client.data("POST", f"/webhook-endpoints/{_endpoint(tenant)}/test")
    with api.store.write_session() as session:
        gone = session.get_one(WebhookEndpoint, _endpoint(tenant))
        gone.is_enabled, gone.disabled_reason = False, "gone"
    with api.store.engine.begin() as connection:
        connection.execute(text(HISTORY))
        for day in (system_clock().date(), NOW.date()):
            add(connection, "ensembledata", day, Spent(2, Decimal("0.25")))
    looks = {"platform": "tiktok", "account_id": None, "first_at": NOW, "last_at": NOW}
    looked = [
        {**looks, "outcome": "ok", "looks": 3},
        {**looks, "outcome": "challenged", "looks": 4},
    ]
    refusing = {
        "organization_id": None,
        "project_id": None,
        "platform": "tiktok",
        "is_refusing": True,
        "refused_since": NOW,
        "outcome": "challenged",
    }
    publish_history(settings, marts.History([], as_of=NOW, looks=looked, statuses=[refusing]))
    made = AssetMade("marts/creator_daily", rows=5, rows_written=2, seconds=0.5)
    note_success(settings.metrics_path, "compute", 12.5, [made])
    note_failure(settings.metrics_path, "publish")
    settings.warehouse_path.write_bytes(b"seven..")
    (settings.landing_path / "rejected" / "20260501T000000-demo").mkdir(parents=True)
    with running_api(settings, api.store) as served:
        with served.client(tenant.made.api_key) as client:
            client.data("GET", "/me")  # request metrics need a request
        yield served


def _endpoint(tenant: Tenant) -> str:
    body = {"url": "https://hooks.test.invalid/"}
    made = tenant.client.data("POST", "/webhook-endpoints", json=body)
    return str(made["id"])


@pytest.fixture(scope="module")
def values(at_work: Api) -> Values:
    return read(at_work)


def test_the_age_of_the_publication_is_a_metric(values: Values) -> None:
    assert values["tracker_publication_as_of_timestamp_seconds", ()] == NOW.timestamp()
    assert values["tracker_publication_timestamp_seconds", ()] > 0


def test_outcomes_of_fetches_are_a_metric_by_platform(values: Values) -> None:
    assert values["tracker_platform_outcomes", ("challenged", "tiktok")] == 4
    assert values["tracker_platform_outcomes", ("ok", "tiktok")] == 3
    since = values["tracker_platform_refusing_since_timestamp_seconds", ("challenged", "tiktok")]
    assert since == NOW.timestamp()


def test_a_requested_pause_is_a_metric_until_it_ends(values: Values) -> None:
    until = "tracker_host_paused_until_timestamp_seconds"
    assert [labels for name, labels in values if name == until] == [("www.instagram.com",)]
    now = system_clock().timestamp()
    assert now < values[until, ("www.instagram.com",)] < now + 3601


def test_waiting_jobs_and_their_age_are_metrics(values: Values, at_work: Api) -> None:
    assert values["tracker_scrape_jobs", ("creator_profiles", "queued")] >= 1
    since = values["tracker_scrape_jobs_since_timestamp_seconds", ("creator_profiles", "queued")]
    assert since <= at_work.store.clock().timestamp()
    assert values["tracker_visits_due", ("tiktok",)] >= 1
    due = values["tracker_visits_due_since_timestamp_seconds", ("tiktok",)]
    assert due <= at_work.store.clock().timestamp()


def test_webhooks_and_their_delays_are_metrics(values: Values) -> None:
    assert values["tracker_webhook_messages_waiting", ()] >= 1
    due = values["tracker_webhook_messages_due_since_timestamp_seconds", ()]
    assert due <= system_clock().timestamp()
    assert values["tracker_webhook_endpoints_disabled", ("gone",)] >= 1


def test_signs_of_the_pipeline_are_reported(values: Values) -> None:
    assert values["tracker_up", ()] == 1
    now = system_clock().timestamp()
    assert values["tracker_daemon_heartbeat_timestamp_seconds", ()] == pytest.approx(now, abs=3600)
    assert values["tracker_scraper_seen_timestamp_seconds", ("host 1",)] == pytest.approx(
        now, abs=3600
    )
    assert values["tracker_tick_timestamp_seconds", ("landed_batches",)] == pytest.approx(
        now, abs=3600
    )


def test_rejected_batches_are_a_metric(values: Values) -> None:
    assert values["tracker_batches_waiting", ("rejected",)] == 1
    assert values["tracker_batches_waiting", ("incoming",)] == 0


def test_batches_waiting_in_a_bucket_are_a_metric_while_it_answers(
    api: Api, bucket: Bucket, tmp_path: Path
) -> None:
    place = {"home": tmp_path, "landing_url": f"s3://{bucket.name}/one"}
    settings = bucket.settings(api.settings).model_copy(update=place)
    there = open_landing_bucket(settings)
    for name in (f"incoming/{uuid7()}.{uuid7()}.json", "incoming/notes.txt"):
        there.put(name, b"{}")

    def waiting(of: Settings) -> float | None:
        registry = gauges_of(of, api.store, Published(ShardPublications(of)))
        return registry.get_sample_value("tracker_batches_waiting", {"stage": "incoming"})

    assert waiting(settings) == 1
    nowhere = {"s3_endpoint_url": "http://127.0.0.1:9"}
    assert waiting(settings.model_copy(update=nowhere)) is None


def test_metrics_of_budgets_have_the_labels_of_spending(values: Values) -> None:
    assert values["tracker_provider_requests_today", ("ensembledata",)] == 2
    assert values["tracker_provider_usd_today", ("ensembledata",)] == 0.25
    assert values["tracker_provider_requests_a_day_most", ("ensembledata",)] == 1500
    assert values["tracker_provider_usd_a_day_most", ("scrapecreators",)] == 5
    assert ("tracker_provider_requests_a_day_most", ("tiktok",)) not in values  # no limit is set


def test_free_disk_space_is_a_metric(values: Values) -> None:
    assert values["tracker_warehouse_bytes", ()] == 7
    sizes, free = (
        {labels: value for (metric, labels), value in values.items() if metric == name}
        for name in ("tracker_disk_bytes", "tracker_disk_free_bytes")
    )
    assert sizes.keys() == free.keys()
    assert all(0 < free[disk] <= size for disk, size in sizes.items())


@pytest.mark.slow
def test_the_disk_of_a_warehouse_elsewhere_is_a_metric(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    with mounted(tmp_path / "disk") as elsewhere:
        file = elsewhere / "warehouse.duckdb"
        paths = [
            disk.path for disk in disks(settings.model_copy(update={"warehouse_url": str(file)}))
        ]
    assert paths[1:] == [str(elsewhere)]


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["landing", "publications", "spilled"])
def test_the_disk_of_each_data_folder_is_a_metric_too(
    settings: Settings, tmp_path: Path, folder: str
) -> None:
    elsewhere = tmp_path / "spilled" if folder == "spilled" else settings.home_path / folder
    elsewhere.mkdir(parents=True)
    spilling = settings.model_copy(update={"duckdb_temp_directory": str(tmp_path / "spilled")})
    with mounted(elsewhere):
        assert [disk.path for disk in disks(spilling)][1:] == [str(elsewhere)]


def test_the_last_run_of_each_step_is_a_metric(values: Values) -> None:
    assert values["tracker_step_seconds", ("compute",)] == 12.5
    assert values["tracker_asset_rows", ("marts/creator_daily",)] == 5
    assert values["tracker_step_failed_timestamp_seconds", ("publish",)] > 0


def names_in(text: str) -> set[str]:
    return set(re.findall(r"tracker_[a-z_]+", text))


@pytest.mark.parametrize("file", sorted(MONITORING.glob("*.*")), ids=lambda file: file.name)
def test_dashboard_and_alerts_use_existing_metrics(file: Path, at_work: Api) -> None:
    names = {name for name, _ in read(at_work)}
    assert names_in(file.read_text()) - names == set()


def test_the_dashboard_shows_every_metric_of_ours(at_work: Api) -> None:
    """Histogram parts and creation times are not metrics of their own."""
    named = names_in((MONITORING / "dashboard.json").read_text())
    metric_names = {
        name for name, _ in read(at_work) if not name.endswith(("_created", "_sum", "_count"))
    }
    assert {name for name in metric_names if name.startswith("tracker_")} - named == set()


def test_the_dashboard_is_one_that_grafana_imports() -> None:
    dashboard = json.loads((MONITORING / "dashboard.json").read_text())
    assert {"title", "panels", "schemaVersion", "uid"} <= dashboard.keys()
    for panel in dashboard["panels"]:
        assert {"id", "title", "type", "gridPos"} <= panel.keys()
        assert panel["type"] == "row" or all(target["expr"] for target in panel["targets"])


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("promtool"), reason=NO_PROMETHEUS)
@pytest.mark.parametrize(
    "check", [["check", "rules", "alerts.yml"], ["test", "rules", "alerts.test.yml"]]
)
def test_prometheus_accepts_the_alerts_and_raises_them(check: list[str]) -> None:
    ended = subprocess.run(
        ["promtool", *check], cwd=MONITORING, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr


@pytest.mark.skipif(not shutil.which("promtool"), reason=NO_PROMETHEUS)
def test_prometheus_reads_the_metrics(at_work: Api) -> None:
    text = httpx.get(at_work.base_url + "/metrics", trust_env=False).text
    ended = subprocess.run(
        ["promtool", "check", "metrics"], input=text, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("prometheus"), reason=NO_PROMETHEUS)
def test_prometheus_answers_the_queries_of_the_dashboard(at_work: Api, tmp_path: Path) -> None:
    dashboard = json.loads((MONITORING / "dashboard.json").read_text())
    exprs = [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", [])]
    with prometheus(at_work.base_url, tmp_path) as server:

        def targets() -> list[Any]:
            active: list[Any] = server.ask("targets")["activeTargets"]
            return active

        server.awaited(lambda: server.ask("query", query="tracker_disk_free_bytes")["result"])
        for expression in exprs:
            filled = expression.replace("$instance", ".*").replace("$__rate_interval", "1m")
            server.ask("query", query=filled)
        # A scrape may exceed its second; a later one succeeds.
        server.awaited(lambda: [target for target in targets() if target["health"] == "up"])
        rules = [rule for group in server.ask("rules")["groups"] for rule in group["rules"]]
    assert len(exprs) > 10
    assert len(rules) == len(re.findall(r"- alert:", (MONITORING / "alerts.yml").read_text()))
    assert {rule["health"] for rule in rules} <= {"ok", "unknown"}
