"""Programs that members authorized: listed, and disconnected over REST and at the desk."""

import re

from tests.factories.visitors import read
from tests.fixtures.api import Tenant
from tests.fixtures.desk import Sitter
from tests.fixtures.programs import Browser, Program, error_of


def path(tenant: Tenant, app_id: str = "") -> str:
    return f"/organizations/{tenant.organization_id}/connected-apps/{app_id}".rstrip("/")


def test_an_admin_sees_and_ends_all_members_consents(tenant: Tenant, program: Program) -> None:
    member = Browser(tenant, role="member")
    tokens = program.tokens(member)
    [app] = tenant.client.data("GET", path(tenant))
    assert (app["name"], app["redirects_to"]) == ("Helper", "http://127.0.0.1:4711")
    assert (app["user_id"], app["scopes"]) == (str(member.user_id), ["read", "write"])
    assert program.call(tokens["access_token"]).status_code == 200
    assert tenant.client.data("DELETE", path(tenant, app["id"])) == {"deleted": True}
    assert program.call(tokens["access_token"]).status_code == 401
    assert error_of(program.refresh(tokens["refresh_token"])) == "invalid_grant"
    assert tenant.client.data("GET", path(tenant)) == []
    tenant.client.refusal("DELETE", path(tenant, app["id"]), "not_found")


def test_disconnecting_ends_all_consents_of_the_member_for_the_app(
    tenant: Tenant, program: Program
) -> None:
    member, elsewhere = Sitter(tenant, role="member"), Browser(tenant)
    tokens = [program.tokens(member)["access_token"] for _ in range(2)]
    of_other_member = program.tokens(elsewhere)["access_token"]
    page = f"{member.home}/settings/apps"
    first, second = re.findall(r'name="disconnect" value="([^"]+)"', member.get(page).text)
    answer = member.send(page, page=page, disconnect=first)
    done = read(member.get(answer.headers["Location"]))
    assert "Helper disconnected." in done
    assert "still connected" not in done
    assert [program.call(token).status_code for token in tokens] == [401, 401]
    assert program.call(of_other_member).status_code == 200
    assert member.send(page, page=page, disconnect=second).status_code == 404


def test_an_app_of_the_same_name_stays_and_differs(tenant: Tenant, program: Program) -> None:
    member, another = Sitter(tenant, role="member"), Program.registered(tenant.api)
    program.tokens(member)
    token = another.tokens(member)["access_token"]
    page = f"{member.home}/settings/apps"
    listed = read(member.get(page))
    assert listed.count("last renewed") == 2
    ids = re.findall(r'name="disconnect" value="([^"]+)"', member.get(page).text)
    answer = member.send(page, page=page, disconnect=ids[1])
    words = "Helper disconnected. Another app of this name is still connected."
    assert words in read(member.get(answer.headers["Location"]))
    assert program.call(token).status_code == 200


def test_members_see_and_end_their_own(tenant: Tenant, program: Program) -> None:
    program.tokens(Browser(tenant))
    [of_admin] = tenant.client.data("GET", path(tenant))
    with tenant.client_with(role="member") as client:
        assert client.data("GET", path(tenant)) == []
        client.refusal("DELETE", path(tenant, of_admin["id"]), "not_found")
    member = Browser(tenant, role="member")
    program.tokens(member)
    with tenant.client_with(
        acts_as_user_id=member.user_id, created_by_user_id=member.user_id
    ) as client:
        [own] = client.data("GET", path(tenant))
        assert own["user_id"] == str(member.user_id)
        client.data("DELETE", path(tenant, own["id"]))
    assert [app["id"] for app in tenant.client.data("GET", path(tenant))] == [of_admin["id"]]


def test_admins_see_and_end_others_consents_with_the_scope_admin_alone(
    tenant: Tenant, program: Program
) -> None:
    program.tokens(Browser(tenant))
    [app] = tenant.client.data("GET", path(tenant))
    with tenant.client_with("read", "write") as client:
        assert client.data("GET", path(tenant)) == []
        client.refusal("DELETE", path(tenant, app["id"]), "not_found")


def test_other_organizations_see_and_end_none(
    tenant: Tenant, other: Tenant, program: Program
) -> None:
    program.tokens(Browser(tenant))
    [app] = tenant.client.data("GET", path(tenant))
    for at in (path(other, app["id"]), path(tenant, app["id"])):
        other.client.refusal("DELETE", at, "not_found")
    assert other.client.data("GET", path(other)) == []


def test_the_desk_disconnects(tenant: Tenant, program: Program) -> None:
    member = Sitter(tenant, role="member")
    page = f"{member.home}/settings/apps"
    assert f'href="{page}">Agents and connected apps' in member.get(member.home).text
    assert "No connected apps." in read(member.get(page))
    assert f'readonly value="{tenant.api.settings.base_url}/api/mcp"' in member.get(page).text
    assert "write Add, change and remove data" in read(member.get(page))
    token = program.tokens(member)["access_token"]
    program.tokens(Browser(tenant))
    listed = read(member.get(page))
    assert listed.count("Helper http://127.0.0.1:4711; read, write; authorized") == 1
    apps = tenant.client.data("GET", path(tenant))
    assert len(apps) == 2
    own = next(app["id"] for app in apps if app["user_id"] == str(member.user_id))
    assert member.send(page, page=page, disconnect=own).status_code == 303
    assert program.call(token).status_code == 401
    assert "No connected apps." in read(member.get(page))
