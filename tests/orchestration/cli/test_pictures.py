"""`tracker pictures`, as a process: it asks for what is due, at public addresses alone."""

import json
from datetime import UTC, datetime
from pathlib import Path

from tests.orchestration.commands import environment, tracker_here
from warehouse.operational.models import PostPicture
from warehouse.operational.store import OperationalStore


def test_what_is_due_is_asked_for_and_told(
    tmp_path: Path, database_url: str, store: OperationalStore
) -> None:
    picture = {"platform": "tiktok", "platform_video_id": "1", "url": "https://127.0.0.1:9/1.png"}
    with store.write_session() as session:
        session.add(PostPicture(**picture, due_at=datetime(2026, 1, 1, tzinfo=UTC)))
    for ended in ({"not kept": 1}, {}):
        done = tracker_here("pictures", "--json", env=environment(tmp_path, database_url))
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout) == {"pictures": ended}
