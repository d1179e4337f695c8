"""Inviting an address before its owner signs up gives no rights in other organizations."""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
from sqlalchemy import func, select

from serving_api.passwords import hash_password
from serving_api.resources.organization.invitations.service import invite_first_admin
from tests.fixtures.api import Api, Tenant
from warehouse.operational.models import Member, User
from warehouse.operational.organizations import create_organization
from warehouse.operational.users import (
    UnnamedUserError,
    make_platform_admin,
    revoke_platform_admin,
    set_password,
)

ROOT = Path(__file__).parents[4]
PASSWORD = "what the squatter chose"


@dataclass(frozen=True)
class Squatted:
    """An address whose user another organization's admin created, with a known password."""

    mine: Tenant
    """The attacked organization. Its admin is a member of the squatter's, too."""
    squatters: Tenant
    browser: httpx.Client
    email: str

    @property
    def user(self) -> User:
        with self.mine.api.store.read_session() as session:
            return session.scalars(select(User).where(User.email == self.email)).one()

    def invited(self, tenant: Tenant, role: str = "admin") -> str:
        path = f"/organizations/{tenant.organization_id}/invitations"
        body = {"email": self.email, "role": role}
        token: str = tenant.client.data("POST", path, json=body)["token"]
        return token

    def accept(self, token: str, **fields: str) -> int:
        form = {"display_name": "Mallory", "password": PASSWORD, **fields}
        return self.browser.post(f"/invitations/{token}", data=form).status_code

    def post_member(self, status: int, **named: str) -> Any:
        path = f"/organizations/{self.mine.organization_id}/members"
        body = {**named, "role": "admin"}
        return self.mine.client.data("POST", path, json=body, status=status)

    def rights(self) -> tuple[bool, bool]:
        """Whether the user is an admin elsewhere than at the squatter's, and a platform admin."""
        elsewhere = select(Member.user_id).where(
            Member.user_id == self.user.id, Member.organization_id != self.squatters.organization_id
        )
        with self.mine.api.store.read_session() as session:
            return session.scalar(select(elsewhere.exists())) is True, self.user.is_platform_admin


@pytest.fixture
def squatted(api: Api, tenant: Tenant, other: Tenant) -> Iterator[Squatted]:
    with httpx.Client(base_url=api.base_url, trust_env=False, timeout=30) as browser:
        made = Squatted(tenant, other, browser, f"{uuid4().hex}@victim.invalid")
        other.join(tenant.made.user_id)
        assert made.accept(made.invited(other)) == 303
        yield made


def create_another(squatted: Squatted, **named: Any) -> None:
    with squatted.mine.api.store.write_session() as session:
        create_organization(
            session,
            name="Another",
            plan="free",
            analytics_tz="UTC",
            admin_email=squatted.email.upper(),
            **named,
        )


def raise_to_platform(squatted: Squatted, existing: Any = None) -> None:
    with squatted.mine.api.store.write_session() as session:
        make_platform_admin(session, squatted.email.upper(), existing)


def by_org_create(squatted: Squatted) -> None:
    with pytest.raises(UnnamedUserError, match=str(squatted.squatters.organization_id)):
        create_another(squatted)


def by_org_create_of_another_id(squatted: Squatted) -> None:
    with pytest.raises(UnnamedUserError):
        create_another(squatted, existing=squatted.mine.made.user_id)


def by_platform_admin(squatted: Squatted) -> None:
    with pytest.raises(UnnamedUserError, match=r"created at .* by an invitation of 'Acme'"):
        raise_to_platform(squatted)


def by_revoking_a_platform_admin(squatted: Squatted) -> None:
    with squatted.mine.api.store.write_session() as session:
        revoke_platform_admin(session, squatted.email)


def by_a_member_of_this_address(squatted: Squatted) -> None:
    assert squatted.post_member(202, email=squatted.email)["status"] == "pending"


def by_a_member_of_this_id(squatted: Squatted) -> None:
    invitation = squatted.post_member(202, user_id=str(squatted.user.id))
    assert (invitation["email"], invitation["role"]) == (squatted.email, "admin")


def by_an_open_invitation(squatted: Squatted) -> None:
    squatted.invited(squatted.mine)


def by_an_invitation_that_somebody_new_accepts(squatted: Squatted) -> None:
    token = squatted.invited(squatted.mine)
    assert squatted.accept(token, password="what the owner chose") == 400


def by_a_role_in_the_squatters_own(squatted: Squatted) -> None:
    path = f"/organizations/{squatted.squatters.organization_id}/members/{squatted.user.id}"
    squatted.squatters.client.data("PATCH", path, json={"role": "admin"})


def by_a_password_of_the_operators(squatted: Squatted) -> None:
    with squatted.mine.api.store.write_session() as session:
        set_password(session, squatted.email, hash_password("what the operator chose"))


PATHS: dict[str, Callable[[Squatted], None]] = {
    name.removeprefix("by_"): path for name, path in list(globals().items()) if name[:3] == "by_"
}


@pytest.mark.parametrize("path", PATHS)
def test_no_path_makes_an_unproven_address_an_admin(squatted: Squatted, path: str) -> None:
    PATHS[path](squatted)
    assert squatted.rights() == (False, False)


def test_a_token_of_this_organization_proves_the_address(squatted: Squatted) -> None:
    token = squatted.invited(squatted.mine, "member")
    assert squatted.accept(token, way="sign-in") == 303
    path = f"/organizations/{squatted.mine.organization_id}/members/{squatted.user.id}"
    squatted.mine.client.data("DELETE", path)
    again = squatted.post_member(201, user_id=str(squatted.user.id))
    assert again["role"] == "admin"


def test_the_operator_raises_the_user_that_it_names(squatted: Squatted) -> None:
    raise_to_platform(squatted, squatted.user.id)
    create_another(squatted, existing=squatted.user.id)
    assert squatted.rights() == (True, True)


def test_the_first_admin_sets_a_password_by_the_token_once(api: Api, squatted: Squatted) -> None:
    email = f"{uuid4().hex}@first.invalid"
    with api.store.write_session() as session:
        made = create_organization(
            session, name="First", plan="free", analytics_tz="UTC", admin_email=email
        )
        token = invite_first_admin(session, made.organization_id, made.user_id)
    assert squatted.accept(token) == 303
    assert squatted.accept(token) == 404
    with api.store.read_session() as session:
        user = session.get_one(User, made.user_id)
        members = select(func.count()).where(Member.user_id == user.id)
        assert (user.display_name, session.scalar(members)) == ("Mallory", 1)
        assert user.password_hash
        assert user.made_by_organization_id is None


def test_other_invitations_set_no_password(api: Api, squatted: Squatted) -> None:
    email = f"{uuid4().hex}@first.invalid"
    with api.store.write_session() as session:
        create_organization(
            session, name="First", plan="free", analytics_tz="UTC", admin_email=email
        )
    attack = Squatted(squatted.mine, squatted.squatters, squatted.browser, email)
    assert attack.accept(attack.invited(squatted.squatters)) == 400
    assert attack.user.password_hash is None


RAISES = {
    ("serving_api/resources/organization/invitations/acceptance.py", "_accepting"),
    ("serving_api/resources/organization/invitations/acceptance.py", "_added"),
    ("serving_api/resources/organization/members/service.py", "change_role"),
    ("serving_api/resources/organization/members/service.py", "join"),
    ("serving_api/resources/organization/organizations.py", "create"),
    ("warehouse/operational/organizations.py", "_admin"),
    ("warehouse/operational/users.py", "make_platform_admin"),
    ("warehouse/operational/users.py", "revoke_platform_admin"),
    ("warehouse/operational/users.py", "set_password"),
}
"""Functions that write roles and passwords of users. The table must cover other ones."""


def test_the_table_knows_each_place_that_writes_a_role_or_a_password() -> None:
    assert set(writing_places()) == RAISES


def writing_places() -> Iterator[tuple[str, str]]:
    """Yield file and function of each `Member(…)`, `User(…)` and assignment of their rights."""
    files = [p for top in ("serving_api", "warehouse", "orchestration") for p in source_files(top)]
    for path in files:
        for function in ast.walk(ast.parse(path.read_text())):
            if isinstance(function, ast.FunctionDef) and any(map(writes, ast.walk(function))):
                yield str(path.relative_to(ROOT)), function.name


def source_files(top: str) -> list[Path]:
    return [path for path in (ROOT / top).rglob("*.py") if "migrations" not in path.parts]


def writes(node: ast.AST) -> bool:
    if isinstance(node, ast.Assign):
        targets = [
            part
            for target in node.targets
            for part in (target.elts if isinstance(target, ast.Tuple) else [target])
        ]
        names = {target.attr for target in targets if isinstance(target, ast.Attribute)}
        return bool(names & {"role", "is_platform_admin", "password_hash"})
    if isinstance(node, ast.Call):
        given = {keyword.arg for keyword in node.keywords}
        return ast.unparse(node.func).split(".")[-1] in {"Member", "User"} and bool(
            given & {"joined_at", "password_hash", "is_platform_admin"}
        )
    return False
