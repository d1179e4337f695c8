"""Run control: what a build computes, and the published past from which it continues.

Call `begin_run` before dbt and `promote` after publishing. The models do all arithmetic on counts.
"""

from warehouse.control.records import Run
from warehouse.control.run import RunSupersededError, begin_run, promote

__all__ = ["Run", "RunSupersededError", "begin_run", "promote"]
