"""Stories told by date: what an organization does and sees, with the arithmetic beside each amount.

Each story is a generator. It acts through the REST API, lands what a scrape would see, and yields
when it wants to go on; the stories share the passes of the pipeline, so that a month of all of
them takes five.
"""

import pytest

pytest.register_assert_rewrite(
    *(f"{__name__}.{story}" for story in ("views", "bonuses", "retainer", "promises", "sales"))
)
