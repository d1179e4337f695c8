"""The tables of mutants fit the current code and tests; `make mutants` tries them.

`make slow` reports stale ones before a release.
"""

import ast
from functools import cache

import pytest

from tests.qa.mutants.generated import generated, python_changes, sql_changes
from tests.qa.mutants.mutant import REPOSITORY, Mutant, mutants

pytestmark = pytest.mark.slow
ALL = [*mutants(), *generated(each=1, seed=0)]
"""All manual ones, and one of each module, to check its file and tests."""


@cache
def text_of(file: str) -> str:
    return (REPOSITORY / file).read_text(encoding="utf-8")


@cache
def known_in(file: str) -> frozenset[str]:
    """The selectable names in a test file: its functions, and its classes with their functions."""
    names = set()
    for node in ast.parse(text_of(file)).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        if isinstance(node, ast.ClassDef):
            names |= {f"{node.name}::{each.name}" for each in node.body if hasattr(each, "name")}
    return frozenset(names)


def test_names_of_mutants_are_unique() -> None:
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


def mutated(text: str, language: str) -> list[str]:
    changes = python_changes(text) if language == "py" else sql_changes(text)
    return [text[:begin] + new + text[end:] for begin, end, new in changes]
