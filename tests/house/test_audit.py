"""What `make audit` makes of pip-audit's report."""

from tests.qa.audit import summary_of

SOUND = {"name": "anyio", "version": "4.0", "vulns": []}
SKIPPED = {"name": "click", "skip_reason": "Dependency not found on PyPI"}
UNSOUND = {
    "name": "httpx",
    "version": "0.1",
    "vulns": [{"id": "PYSEC-1", "fix_versions": ["0.2"]}, {"id": "PYSEC-2", "fix_versions": []}],
}


def test_without_advisory_data_nothing_is_said_to_be_sound() -> None:
    for packages in ([], [SKIPPED]):
        code, lines = summary_of(packages)
        assert (code, "no version was audited" in lines) == (0, True)


def test_advisories_are_named_and_skipped_versions_are_not_counted_as_audited() -> None:
    assert summary_of([SOUND, SKIPPED]) == (0, "0 advisories for 1 of 2 pinned versions")
    code, lines = summary_of([SOUND, UNSOUND, SKIPPED])
    assert (code, lines.splitlines()) == (
        1,
        [
            "httpx 0.1: PYSEC-1, fixed in 0.2",
            "httpx 0.1: PYSEC-2, fixed in no version",
            "2 advisories for 2 of 3 pinned versions",
        ],
    )
