"""`tracker probe`: a provider's data about an account, from recorded answers and a simulator."""

import json
from pathlib import Path
from typing import Any

import pytest

from scrapers.registry import PAID
from scrapers.simulator import RunningSimulator
from tests.fixtures.paid import PaidServer, running_paid_server
from tests.orchestration.commands import environment, tracker_here

RECORDED = Path(__file__).parents[2] / "payloads" / "scrapecreators"
ANSWERS = {"profile": "profile", "posts": "posts", "post": "post", "comments": "comments"}


def answer_as_recorded(server: PaidServer, platform: str) -> dict[str, str]:
    """Serve recorded answers of ScrapeCreators; return settings that name the server."""
    paths = {name: route.path for name, route in PAID["scrapecreators"].of(platform).items()}
    server.routes = {
        paths[name]: json.loads((RECORDED / f"{platform}_{file}.json").read_text("utf-8"))
        for name, file in ANSWERS.items()
    }
    return {
        "TRACKER_SCRAPECREATORS_BASE_URL": server.base_url,
        "TRACKER_SCRAPECREATORS_API_KEY": "sc-invented-secret-key",
    }


@pytest.mark.slow
@pytest.mark.parametrize("platform", ["tiktok", "instagram"])
def test_a_paid_provider_gets_one_request_for_each_capability(
    tmp_path: Path, database_url: str, platform: str
) -> None:
    with running_paid_server() as server:
        settings = answer_as_recorded(server, platform)
        command = ("probe", "scrapecreators", "--handle", "@demo.creator", "--platform", platform)
        env = environment(tmp_path, database_url, **settings)
        probed = tracker_here(*command, "--json", env=env)
        printed = tracker_here(*command, env=env)
    assert probed.returncode == 0, probed.stderr
    rows: list[dict[str, Any]] = json.loads(probed.stdout)
    assert [row["capability"] for row in rows] == ["profile", "posts", "one post", "comments"]
    assert {row["outcome"] for row in rows} == {"ok"}
    assert all(row["read"] and row["requests"] and float(row["usd"]) > 0 for row in rows)
    profile, posts, post, comments = rows
    assert {"follower_count", "display_name"} <= {*profile["known"]}
    assert {"view_count", "like_count", "posted_at"} <= {*posts["known"]} & {*post["known"]}
    assert {"text", "author_unique_id"} <= {*comments["known"]}
    assert all(row["capability"] in printed.stdout for row in rows)
    assert "secret" not in probed.stdout + printed.stdout + probed.stderr


@pytest.mark.slow
def test_an_unknown_account_is_an_outcome(
    tmp_path: Path, database_url: str, simulator: RunningSimulator
) -> None:
    env = environment(tmp_path, database_url, TRACKER_TIKTOK_BASE_URL=simulator.tiktok_url)
    probed = tracker_here("probe", "web", "--handle", "not.there", "--json", env=env)
    assert probed.returncode == 0, probed.stderr
    outcomes = [(row["outcome"], row["read"]) for row in json.loads(probed.stdout)]
    assert outcomes == [("not_found", 0), ("not_found", 0), ("not asked", 0), ("not asked", 0)]


@pytest.mark.parametrize(
    ("provider", "complaint"),
    [("graph", "is for 'instagram', not 'tiktok'"), ("nobody", "is neither")],
)
def test_an_unusable_provider_is_named(
    tmp_path: Path, database_url: str, provider: str, complaint: str
) -> None:
    env = environment(tmp_path, database_url)
    refused = tracker_here("probe", provider, "--handle", "demo.creator", env=env)
    assert refused.returncode == 2
    assert complaint in refused.stderr.splitlines()[-1]
