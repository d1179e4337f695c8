"""Where processes are killed follows from what was watched, and only from that and the seed."""

from collections import Counter
from pathlib import Path
from random import Random

from tests.qa.faults.kill_points import KillPoint, Place, counted, deaths
from tests.qa.faults.operations import Trace, watched
from warehouse.landing import folders

RENAME: Place = ("rename", ("a:b",))
COMMIT: Place = ("duckdb commit", ())
INSERT: Place = ("duckdb insert", ("c:d",))
PLACES = Counter({RENAME: 2, COMMIT: 80, INSERT: 5})


def test_new_code_gets_its_points_by_itself(tmp_path: Path) -> None:
    trace = Trace()
    with watched(trace):
        folders.write_file(tmp_path / "one", "text")
    assert counted(trace.operations) == {("rename", ("warehouse.landing.folders:write_file",)): 1}


def test_each_place_that_can_be_told_apart_comes_first() -> None:
    for seed in range(20):
        planned = deaths(Random(seed), PLACES, 2)
        assert {death.place for death in planned if death} == {RENAME, COMMIT}


def test_then_every_place_comes_on_both_sides_and_moments_come_between() -> None:
    planned = deaths(Random("seed"), PLACES, 40)
    assert len(planned) == 40
    assert None in planned
    points = [death for death in planned if death]
    assert {(point.place, point.when) for point in points} == {
        (place, when) for place in PLACES for when in ("before", "after")
    }
    assert all(1 <= point.call <= PLACES[point.place] for point in points)


def test_a_seed_gives_the_same_plan() -> None:
    assert deaths(Random("1"), PLACES, 30) == deaths(Random("1"), PLACES, 30)
    assert deaths(Random("1"), PLACES, 30) != deaths(Random("2"), PLACES, 30)


def test_a_point_says_where_it_is() -> None:
    assert str(KillPoint(RENAME, 2, "before")) == "before rename 2 in a:b"
