"""A request to a platform's login ends in a response or in ConsentUnavailableError."""

import pytest

from scrapers.consent.requesting import ask
from scrapers.consent.tokens import ConsentUnavailableError
from tests.fixtures.paid import PaidServer, Said


def test_a_redirect_that_leads_to_nonsense_is_no_response(server: PaidServer) -> None:
    server.routes["/token"] = Said(302, headers={"Location": "snssdk1233:aweme/detail/1"})
    with pytest.raises(ConsentUnavailableError):
        ask("GET", f"{server.base_url}/token")


def test_a_body_compressed_twice_is_not_decoded(server: PaidServer) -> None:
    server.routes["/token"] = Said(200, {}, {"Content-Encoding": "identity, identity"})
    with pytest.raises(ConsentUnavailableError):
        ask("GET", f"{server.base_url}/token")
