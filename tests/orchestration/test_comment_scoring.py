"""Scoring comments in a pipeline run: an unusable model, and one that takes too long."""

from pathlib import Path

import pytest
from dagster import materialize

from orchestration.defs import ingest
from orchestration.defs.ingest import comment_scoring
from orchestration.resources.warehouse import WarehouseWriter
from orchestration.running.progress import Progress
from tests.factories.onnx_models import make_model
from tests.factories.tracking import add_video
from warehouse.comment_scoring import pending
from warehouse.comment_scoring.chosen import chosen_model
from warehouse.comment_scoring.step import score_comments
from warehouse.connection import open_warehouse
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.store import OperationalStore
from warehouse.raw.operational_copy import copy_operational
from warehouse.settings import Settings

pytestmark = pytest.mark.slow

COMMENT = """
    insert into raw.comments by name
    select ?::uuid as video_id, 'c1' as platform_comment_id, ? as text,
        now() as captured_at, 'tiktok.comment_list' as source, 1 as batch_seq
"""
SCORES = "select sentiment, signals, language from raw.comment_scores order by score_seq"


def test_comments_wait_for_a_broken_model_and_the_run_does_not(
    tmp_path: Path, settings: Settings, store: OperationalStore, organization: NewOrganization
) -> None:
    """The error is reported; the comment has its signals at once, its sentiment after the fix."""
    settings = settings.model_copy(update={"sentiment_model": tmp_path / "model"})
    with open_warehouse(settings) as warehouse:
        copy_operational(store, warehouse)
        warehouse.execute(
            COMMENT, [add_video(store, organization, "7001"), "is this an ad? so good"]
        )
    reports: list[Progress] = []
    writer = WarehouseWriter(settings, store, print)

    resources = {"settings": settings, "warehouse": writer, "on_progress": reports.append}
    assert materialize([comment_scoring], resources=resources).success

    writer.release()
    [problem] = [each.note for each in reports if each.step == "problem"]
    assert problem is not None
    assert f"{tmp_path}/model is not a folder" in problem
    with open_warehouse(settings) as warehouse:
        assert warehouse.sql(SCORES).fetchall() == [(None, ["ad_disclosure"], "en")]
        mended = chosen_model(make_model(tmp_path / "model"))
        assert score_comments(warehouse, mended, rescores=True).texts == 1
        assert warehouse.sql(SCORES).fetchall()[1:] == [("positive", ["ad_disclosure"], "en")]


def test_a_run_reports_how_many_texts_wait(
    settings: Settings,
    store: OperationalStore,
    organization: NewOrganization,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ingest, "BUDGET_SECONDS", 0)
    monkeypatch.setattr(pending, "SCORED_AT_ONCE", 1)
    with open_warehouse(settings) as warehouse:
        copy_operational(store, warehouse)
        video = add_video(store, organization, "7001")
        for text in ("good", "bad", "odd"):
            warehouse.execute(COMMENT, [video, text])
    reports: list[Progress] = []
    writer = WarehouseWriter(settings, store, print)

    resources = {"settings": settings, "warehouse": writer, "on_progress": reports.append}
    assert materialize([comment_scoring], resources=resources).success

    writer.release()
    [wait] = [each.note for each in reports if each.step == "wait"]
    assert wait == "comment texts that wait for the next run to be scored: 2"
