"""Run control: what a run of the models computes, and what counts as published."""

from warehouse.control.run import Run, advance, begin_run

__all__ = ["Run", "advance", "begin_run"]
