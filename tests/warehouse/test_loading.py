"""Garbage collection around imports."""

import gc
import sys
from importlib import import_module

import pytest

from warehouse.loading import loading

MODULE = "this"


@pytest.fixture
def unloaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", sys.stderr)  # the module prints
    monkeypatch.delitem(sys.modules, MODULE, raising=False)


@pytest.mark.slow
@pytest.mark.usefixtures("unloaded")
def test_no_collection_runs_during_imports_and_imports_are_frozen() -> None:
    frozen = gc.get_freeze_count()
    with loading():
        assert not gc.isenabled()
        module = import_module(MODULE)
    assert gc.isenabled()
    assert gc.get_freeze_count() > frozen
    assert not any(each is vars(module) for each in gc.get_objects())


@pytest.mark.slow
def test_without_imports_nothing_is_frozen() -> None:
    frozen = gc.get_freeze_count()
    with loading():
        pass
    assert gc.get_freeze_count() <= frozen


def test_a_disabled_collector_stays_disabled(request: pytest.FixtureRequest) -> None:
    gc.disable()
    request.addfinalizer(gc.enable)
    with loading():
        pass
    assert not gc.isenabled()
