"""Fixtures that every test may use: one module of `tests/fixtures` for each domain."""

pytest_plugins = [
    "tests.fixtures.operational",
    "tests.fixtures.api",
    "tests.fixtures.analytics",
    "tests.fixtures.payouts",
]
