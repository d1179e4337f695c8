"""`tracker rescore` as people use it."""

import json
from pathlib import Path

from tests.factories.tracking import add_video
from tests.orchestration.commands import environment, tracker_here
from warehouse.connection import open_warehouse
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.store import OperationalStore
from warehouse.settings import Settings

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


def test_scores_what_another_version_scored(
    tmp_path: Path,
    database_url: str,
    store: OperationalStore,
    organization: NewOrganization,
    settings: Settings,
) -> None:
    video = add_video(store, organization, "7001")
    with open_warehouse(settings) as warehouse:
        warehouse.execute(COMMENT, [video])
        warehouse.execute(OLD_SCORE)
    env = environment(tmp_path, database_url)

    first, second = (tracker_here("rescore", "--json", env=env) for _ in range(2))

    assert json.loads(first.stdout) == {"texts": 1, "mentions": 1}
    assert json.loads(second.stdout) == {"texts": 0, "mentions": 0}
    with open_warehouse(settings) as warehouse:
        [(sentiment, model)] = warehouse.sql(LATEST).fetchall()
    assert sentiment == "positive"
    assert model.startswith("linear-")
