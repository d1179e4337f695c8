"""The named steps of a pipeline run, and actions before them.

The product is unaware of this: functions are wrapped from outside. A step is `module:function`, by
the name that its callers use.
"""

import importlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

PASS = "tests.qa.faults.passes"
STATEMENT = "orchestration.building.executor:_Build._make"


@contextmanager
def at_step(function: str, do: Callable[[], object]) -> Iterator[None]:
    """Call `do` before each call of the function, in the block."""
    owner, name = _place(function)
    original: Callable[..., Any] = getattr(owner, name)

    def interrupted(*arguments: Any, **named: Any) -> Any:
        do()
        return original(*arguments, **named)

    setattr(owner, name, interrupted)
    try:
        yield
    finally:
        setattr(owner, name, original)


def _place(function: str) -> tuple[Any, str]:
    module, _, path = function.partition(":")
    owner: Any = importlib.import_module(module)
    *classes, name = path.split(".")
    for each in classes:
        owner = getattr(owner, each)
    return owner, name
