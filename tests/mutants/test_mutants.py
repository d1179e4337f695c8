"""The tables of mutants fit the code and the tests as they are; `make mutants` tries them."""

import ast
from functools import cache

import pytest

from tests.mutants.mutant import REPOSITORY, Mutant, StaleMutantError, mutants

ALL = list(mutants())


@cache
def text_of(file: str) -> str:
    return (REPOSITORY / file).read_text(encoding="utf-8")


@cache
def known_in(file: str) -> frozenset[str]:
    """What can be asked for in a test file: its functions, and its classes and their functions."""
    found = set()
    for node in ast.parse(text_of(file)).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}::{each.name}" for each in node.body if hasattr(each, "name")}
    return frozenset(found)


def test_there_are_about_a_hundred_and_each_has_a_name_of_its_own() -> None:
    assert len(ALL) >= 95
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
    with pytest.raises(StaleMutantError, match="holds its text 0 times, not once: bring `replace`"):
        ALL[0].mutated("another text")
