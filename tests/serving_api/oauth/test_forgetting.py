"""Later writes delete expired rows, and nothing else."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from sqlalchemy import Select, delete, func, insert, select, update
from sqlalchemy.orm import InstrumentedAttribute

from serving_api.oauth.forgetting import MOST_UNUSED_PROGRAMS
from tests.fixtures.api import Api, Tenant
from tests.fixtures.programs import Browser, Program, error_of
from warehouse.ids import uuid7
from warehouse.operational.base import Base
from warehouse.operational.models import OauthClient, OauthGrant, OauthToken, SignInFailure

MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)
WEEK, YEAR = 7 * DAY, 365 * DAY


def age(api: Api, model: type[Base], by: timedelta, *columns: str, **which: object) -> None:
    """Move columns of rows into the past."""
    earlier = {name: getattr(model, name) - by for name in columns}
    with api.store.write_session() as session:
        session.execute(update(model).filter_by(**which).values(earlier))


def age_consents(member: Browser, by: timedelta) -> None:
    """Move the member's consents and tokens into the past."""
    api = member.tenant.api
    own = select(OauthGrant.id).where(OauthGrant.user_id == member.user_id)
    earlier = {"expires_at": OauthToken.expires_at - by}
    with api.store.write_session() as session:
        session.execute(update(OauthToken).where(OauthToken.grant_id.in_(own)).values(earlier))
    age(api, OauthGrant, by, "expires_at", user_id=member.user_id)


def count(api: Api, rows: Select[int]) -> int:
    with api.store.read_session() as session:
        return session.scalars(rows).one()


def consents_of(member: Browser) -> int:
    of_member = OauthGrant.user_id == member.user_id
    return count(member.tenant.api, select(func.count(OauthGrant.id)).where(of_member))


def tokens_of(member: Browser) -> int:
    tokens = select(func.count(OauthToken.token_hash)).join(OauthGrant)
    return count(member.tenant.api, tokens.where(OauthGrant.user_id == member.user_id))


class TestConsents:
    @pytest.fixture
    def colleague(self, tenant: Tenant) -> Browser:
        return Browser(tenant)

    def test_unused_codes_go(self, program: Program, member: Browser, colleague: Browser) -> None:
        member.authorize(program)
        colleague.authorize(program)
        assert consents_of(member) == 1
        age_consents(member, MINUTE)
        colleague.authorize(program)
        assert (consents_of(member), consents_of(colleague)) == (0, 2)

    def test_a_token_family_without_a_refresh_for_a_month_is_deleted(
        self, program: Program, member: Browser, colleague: Browser
    ) -> None:
        program.tokens(member)
        age_consents(member, 30 * DAY - MINUTE)
        colleague.authorize(program)
        assert (consents_of(member), tokens_of(member)) == (1, 2)
        age_consents(member, MINUTE)
        colleague.authorize(program)
        assert (consents_of(member), tokens_of(member)) == (0, 0)

    def test_each_refresh_gives_it_another_month(
        self, program: Program, member: Browser, colleague: Browser
    ) -> None:
        tokens: Mapping[str, str] = program.tokens(member)
        for _ in range(3):
            age_consents(member, 29 * DAY)
            colleague.authorize(program)
            tokens = program.refresh(tokens["refresh_token"]).json()
        assert program.call(tokens["access_token"]).status_code == 200

    def test_a_refresh_deletes_expired_ones(self, program: Program, member: Browser) -> None:
        first = program.tokens(member)
        age_consents(member, DAY)
        second = program.refresh(first["refresh_token"]).json()
        assert tokens_of(member) == 3  # two new ones, and the used one, to detect its theft
        assert error_of(program.refresh(first["refresh_token"])) == "invalid_grant"
        assert program.call(second["access_token"]).status_code == 401


class TestPrograms:
    def test_an_unused_program_is_deleted_after_a_week(self, api: Api) -> None:
        program, younger = Program.registered(api), Program.registered(api)
        age(api, OauthClient, WEEK, "created_at", id=UUID(program.client_id))
        age(api, OauthClient, WEEK - MINUTE, "created_at", id=UUID(younger.client_id))
        Program.registered(api)
        assert (is_kept(program), is_kept(younger)) == (False, True)

    def test_a_deleted_one_is_explained(self, program: Program, member: Browser) -> None:
        with program.api.store.write_session() as session:
            session.execute(delete(OauthClient).where(OauthClient.id == UUID(program.client_id)))
        assert "connect it again" in member.get(program.asking()).text
        assert error_of(program.refresh("unknown")) == "invalid_client"

    def test_one_deleted_meanwhile_is_refused(self, program: Program, member: Browser) -> None:
        action, form = member.form(member.consent_page(program.asking()).text)
        with program.api.store.write_session() as session:
            session.execute(delete(OauthClient).where(OauthClient.id == UUID(program.client_id)))
        sent = {**form, "decision": "allow", "organization_id": str(member.tenant.organization_id)}
        refused = member.post(action, data=sent)
        assert refused.status_code == 400
        assert "connect it again" in refused.text

    def test_it_stays_a_year_after_consents(self, program: Program, member: Browser) -> None:
        api, its = program.api, UUID(program.client_id)
        member.authorize(program)
        age(api, OauthClient, YEAR - MINUTE, "created_at", "let_in_at", id=its)
        age_consents(member, MINUTE)
        member.authorize(Program.registered(api))
        assert consents_of(member) == 1
        Program.registered(api)
        assert is_kept(program)
        age(api, OauthClient, MINUTE, "let_in_at", id=its)
        Program.registered(api)
        assert not is_kept(program)

    def test_a_program_with_a_consent_stays(self, program: Program, member: Browser) -> None:
        api, its = program.api, UUID(program.client_id)
        tokens = program.tokens(member)
        age(api, OauthClient, 2 * YEAR, "created_at", "let_in_at", id=its)
        Program.registered(api)
        assert program.refresh(tokens["refresh_token"]).status_code == 200


class TestRoomForPrograms:
    @pytest.fixture
    def oldest(self, api: Api) -> Iterator[UUID]:
        """The first of the maximum number of programs that no member has authorized."""
        now = datetime.now(UTC)
        columns = {"name": "One of many", "redirect_uris": [], "created_at": now - DAY}
        ids = [uuid7() for _ in range(MOST_UNUSED_PROGRAMS)]
        with api.store.write_session() as session:
            session.execute(delete(OauthClient).where(OauthClient.let_in_at.is_(None)))
            session.execute(insert(OauthClient), [{"id": each, **columns} for each in ids])
        yield ids[0]
        with api.store.write_session() as session:
            session.execute(delete(OauthClient).where(OauthClient.name == columns["name"]))

    @pytest.mark.slow
    def test_the_oldest_makes_room(self, api: Api, oldest: UUID, member: Browser) -> None:
        program = Program.registered(api)
        unused = select(func.count(OauthClient.id)).where(OauthClient.let_in_at.is_(None))
        assert count(api, unused) == MOST_UNUSED_PROGRAMS
        assert count(api, unused.where(OauthClient.id == oldest)) == 0
        member.authorize(program)
        assert count(api, unused) == MOST_UNUSED_PROGRAMS - 1
        Program.registered(api)
        assert count(api, unused) == MOST_UNUSED_PROGRAMS
        assert is_kept(program)


class TestFailures:
    def test_guesses_expire(self, program: Program, member: Browser, tenant: Tenant) -> None:
        member.sign_in(program.asking(), "wrong")
        with program.api.store.write_session() as session:
            long_ago = {"tried_at": SignInFailure.tried_at - DAY}
            session.execute(update(SignInFailure).values(long_ago))
        Browser(tenant).sign_in(program.asking(), "wrong")
        rows = select(func.count(SignInFailure.email_hash))
        assert count(program.api, rows) == 2  # for the address, and for it from one network


def is_kept(program: Program) -> bool:
    its: InstrumentedAttribute[UUID] = OauthClient.id
    query = select(func.count(its)).where(its == UUID(program.client_id))
    return count(program.api, query) == 1
