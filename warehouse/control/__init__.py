"""Run control: what a build computes, and the published past it continues from.

`begin_run` before dbt, `promote` after publishing. No arithmetic on counts happens here: that is
the models' (dbt_project).
"""

from warehouse.control.records import Run
from warehouse.control.run import RunSupersededError, begin_run, promote

__all__ = ["Run", "RunSupersededError", "begin_run", "promote"]
