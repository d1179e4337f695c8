"""A platform that refuses is told within one pass: who, since when, how, and the way out."""

from collections import Counter

import pytest

from orchestration.cli.doctor.checks.publication import check_publication
from orchestration.cli.doctor.finding import Finding, Installation
from orchestration.lib.pipeline import run_pipeline
from orchestration.lib.sweep_report import refusals_among
from scrapers.outcomes import Outcome
from scrapers.remedies import REFUSALS
from scrapers.simulator import Fault, FaultKind, Faults, RunningSimulator, running_simulator
from tests.orchestration.conftest import FIRST_DAY
from warehouse.settings import Settings


def platforms(settings: Settings) -> dict[str, Finding]:
    found = check_publication(Installation(settings, "127.0.0.1", 8000))
    return {each.message.split(":")[0]: each for each in found if each.subject == "platforms"}


def test_one_pass_tells_of_it(
    scraping: Settings, two_tracked: list[str], simulator: RunningSimulator
) -> None:
    walls = Faults(rules=(Fault(kind=FaultKind.CHALLENGE, path="/tiktok/*"),))
    with running_simulator(simulator.world, faults=walls) as walled:
        walled.set_now(FIRST_DAY)
        facing = scraping.model_copy(update={"tiktok_base_url": walled.tiktok_url})
        result = run_pipeline(facing)

    [warning] = [each for each in result.warnings if "landing/tiktok" in each]
    assert "tiktok answered 0 of 2 looks; 2 ended as challenged: the platform keeps" in warning
    assert not [each for each in result.warnings if "landing/instagram" in each]

    found = platforms(scraping)
    assert (found["tiktok"].level, found["instagram"].level) == ("bad", "ok")
    assert "answered 0 of 2 looks in the last day; refusing since 2026-09-01" in (
        found["tiktok"].message
    )
    assert "mostly challenged" in found["tiktok"].message
    assert "official API" in (found["tiktok"].way_out or "")


@pytest.mark.parametrize(
    ("outcomes", "refused"),
    [
        ({"ok": 3, "not_found": 2, "private": 1}, 0),
        ({"ok": 3, "schema_changed": 2, "rate_limited": 1}, 3),
        ({}, 0),
    ],
)
def test_what_says_nothing_of_an_account_is_a_refusal(
    outcomes: dict[str, int], refused: int
) -> None:
    assert refusals_among(Counter(outcomes)).total() == refused


def test_every_outcome_is_an_answer_or_a_refusal() -> None:
    answers = {"ok", "not_found", "banned", "post_unavailable", "private", "gated"}
    assert {one.value for one in REFUSALS} | answers == {one.value for one in Outcome}
    assert not answers & REFUSALS
