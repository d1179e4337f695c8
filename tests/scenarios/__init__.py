"""Stories by date: decisions and readings of an organization, with the arithmetic of each amount.

Each story is a generator. It acts through the REST API, lands scraped readings, and yields when to
continue. All stories share the pipeline runs: a month of all of them takes five.
"""

import pytest

pytest.register_assert_rewrite(
    *(f"{__name__}.{story}" for story in ("views", "bonuses", "retainer", "promises", "sales"))
)
