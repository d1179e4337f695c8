"""`tracker rescore` as people use it."""

import json
from pathlib import Path

import pytest

from tests.factories.onnx_models import make_model
from tests.factories.tracking import add_video
from tests.orchestration.commands import environment, tracker_here
from warehouse.connection import open_warehouse
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.store import OperationalStore
from warehouse.settings import Settings

pytestmark = pytest.mark.slow

COMMENT = """
    insert into raw.comments by name
    select ?::uuid as video_id, 'c1' as platform_comment_id, 'I love this' as text,
        now() as captured_at, 'tiktok.comment_list' as source, 1 as batch_seq
"""
OLD_SCORE = """
    insert into raw.comment_scores
    select left(sha256('I love this'), 32)::uuid, 'en', 'negative', -0.5, 'coin-1', [], 'r',
        now(), 1
"""
LATEST = """
    select sentiment, sentiment_model from raw.comment_scores order by score_seq desc limit 1
"""


@pytest.fixture
def env(
    tmp_path: Path,
    database_url: str,
    store: OperationalStore,
    organization: NewOrganization,
    settings: Settings,
) -> dict[str, str]:
    """The environment of an installation with one collected comment."""
    video = add_video(store, organization, "7001")
    with open_warehouse(settings) as warehouse:
        warehouse.execute(COMMENT, [video])
    return environment(tmp_path, database_url)


def test_scores_what_another_version_scored(env: dict[str, str], settings: Settings) -> None:
    with open_warehouse(settings) as warehouse:
        warehouse.execute(OLD_SCORE)

    first, second = (tracker_here("rescore", "--json", env=env) for _ in range(2))

    assert json.loads(first.stdout) == {"texts": 1, "mentions": 1}
    assert json.loads(second.stdout) == {"texts": 0, "mentions": 0}
    with open_warehouse(settings) as warehouse:
        [(sentiment, model)] = warehouse.sql(LATEST).fetchall()
    assert sentiment == "positive"
    assert model.startswith("linear-")


def test_scores_by_an_operators_model_and_refuses_a_broken_one(
    tmp_path: Path, env: dict[str, str], settings: Settings
) -> None:
    """The tiny model finds nothing in "I love this"; the shipped one scores it positive."""
    folder = make_model(tmp_path / "model")
    env["TRACKER_SENTIMENT_MODEL"] = str(folder)

    assert json.loads(tracker_here("rescore", "--json", env=env).stdout)["texts"] == 1
    (folder / "model.onnx").unlink()
    broken = tracker_here("rescore", env=env)

    assert broken.returncode == 1
    assert f"{folder}/model.onnx is missing" in broken.stderr.replace("\n", "")
    with open_warehouse(settings) as warehouse:
        [(sentiment, model)] = warehouse.sql(LATEST).fetchall()
    assert (sentiment, model.split("-")[:2]) == ("negative", ["onnx", "tiny"])
