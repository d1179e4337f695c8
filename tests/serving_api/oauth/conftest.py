"""A registered program and a member's browser."""

import pytest

from tests.fixtures.api import Api, Tenant
from tests.fixtures.programs import Browser, Program


@pytest.fixture
def program(api: Api) -> Program:
    return Program.registered(api)


@pytest.fixture
def member(tenant: Tenant) -> Browser:
    return Browser(tenant)
