"""Users of the desk."""

import pytest

from tests.fixtures.api import Tenant
from tests.fixtures.desk import Sitter
from tests.fixtures.launched import Launched


@pytest.fixture
def admin(tenant: Tenant) -> Sitter:
    """An admin of `tenant`, signed in."""
    return Sitter(tenant)


@pytest.fixture(scope="module")
def member(launched: Launched) -> Sitter:
    """A member of the launched program."""
    return Sitter(launched.tenant, role="member")
