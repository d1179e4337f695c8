"""Somebody at the desk."""

import pytest

from tests.fixtures.api import Tenant
from tests.fixtures.desk import Sitter


@pytest.fixture
def admin(tenant: Tenant) -> Sitter:
    """An admin of `tenant`, signed in."""
    return Sitter(tenant)
