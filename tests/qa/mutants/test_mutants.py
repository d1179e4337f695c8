"""The tables of mutants fit the code and the tests as they are; `make mutants` tries them.

`make slow` says when they no longer do, so that none is found stale at a release.
"""

import ast
from functools import cache

import pytest

from tests.qa.mutants.generated import generated, python_changes, sql_changes
from tests.qa.mutants.mutant import REPOSITORY, Mutant, StaleMutantError, mutants

pytestmark = pytest.mark.slow
ALL = [*mutants(), *generated(each=1, seed=0)]
"""Those by hand, and one of each module, so that its file and tests are there too."""


@cache
def text_of(file: str) -> str:
    return (REPOSITORY / file).read_text(encoding="utf-8")


@cache
def known_in(file: str) -> frozenset[str]:
    """What can be asked for in a test file: its functions, and its classes and their functions."""
    names = set()
    for node in ast.parse(text_of(file)).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        if isinstance(node, ast.ClassDef):
            names |= {f"{node.name}::{each.name}" for each in node.body if hasattr(each, "name")}
    return frozenset(names)


def test_each_has_a_name_of_its_own() -> None:
    assert len({mutant.name for mutant in ALL}) == len(ALL)


@pytest.mark.parametrize("mutant", ALL, ids=lambda mutant: mutant.name)
def test_a_mutant_fits_the_code_once_and_its_tests_are_there(mutant: Mutant) -> None:
    mutated = mutant.mutated(text_of(mutant.file))
    assert mutated != text_of(mutant.file)
    if mutant.file.endswith(".py"):
        ast.parse(mutated)
    assert mutant.tests
    for test in mutant.tests:
        file, _, name = test.partition("::")
        assert not name or name.partition("[")[0] in known_in(file), test


def test_one_that_no_longer_fits_says_what_to_do() -> None:
    with pytest.raises(
        StaleMutantError, match="holds its text 0 times, not once: update `replace`"
    ):
        ALL[0].mutated("another text")


def mutated(text: str, language: str) -> list[str]:
    changes = python_changes(text) if language == "py" else sql_changes(text)
    return [text[:begin] + new + text[end:] for begin, end, new in changes]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("py", "ok = a < b", "ok = (a <= b)"),
        ("py", "ok = '\u00e4' in b and c", "ok = (c)"),
        ("py", "rows.where(a, b)", "rows"),
        ("py", "rows.where(a, b)", "(rows.where(b))"),
        ("py", "if a:\n    stop()\n", "pass\n"),
        ("py", "lock()", "pass"),
        ("sql", "select a where b >= 1 -- c >= 2", "select a where b > 1 -- c >= 2"),
        ("sql", "select least(a, 1)", "select greatest(a, 1)"),
    ],
)
def test_operators_change_one_thing(language: str, text: str, expected: str) -> None:
    assert expected in mutated(text, language)


def test_comments_strings_and_jinja_stay() -> None:
    assert mutated("-- a < b\nselect 'a < b', {{ a < b }} {# a < b #}", "sql") == []
