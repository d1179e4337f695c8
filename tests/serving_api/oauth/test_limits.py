"""How often an address may register programs and sign in."""

from collections.abc import Iterator

import httpx
import pytest

from tests.fixtures.api import Api, new_tenant, running_api
from tests.fixtures.programs import REDIRECT, Browser, Program


@pytest.fixture(scope="module")
def limited(api: Api) -> Iterator[Api]:
    settings = api.settings.model_copy(update={"api_rate_limits": True})
    with running_api(settings, api.store) as served:
        yield served


def test_an_address_registers_ten_programs_a_minute(limited: Api) -> None:
    url, body = f"{limited.base_url}/oauth/register", {"redirect_uris": [REDIRECT]}
    answers = [httpx.post(url, json=body, trust_env=False, verify=False) for _ in range(11)]
    assert [each.status_code for each in answers] == [201] * 10 + [429]
    assert answers[-1].headers["Retry-After"]


def test_an_address_signs_in_ten_times_a_minute(api: Api, limited: Api) -> None:
    program = Program.registered(api)
    with new_tenant(limited) as tenant:
        member = Browser(tenant)
        action, form = member.form(member.get(program.asking()).text)
        sent = {**form, "email": "", "password": "wrong"}
        statuses = [member.post(action, data=sent).status_code for _ in range(11)]
    assert statuses == [400] * 10 + [429]
