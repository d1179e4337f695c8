"""A user's own password: what changing it requires, and which sessions that ends."""

import pytest

from tests.fixtures.desk import Sitter
from tests.fixtures.programs import PASSWORD, Program

PAGE = "/desk/password"
NEW = "another horse battery"


def change(sitter: Sitter, old: str = PASSWORD, new: str = NEW, again: str = NEW) -> str:
    """Send the form; return the redirect, or the page with the error."""
    answer = sitter.send(PAGE, page=PAGE, password=old, new=new, again=again)
    return answer.headers.get("Location") or answer.text


def is_in(sitter: Sitter) -> bool:
    return sitter.get(sitter.home).status_code == 200


def test_another_password_ends_other_sessions_and_programs(admin: Sitter) -> None:
    there = admin.elsewhere()
    program = Program.registered(admin.tenant.api)
    token = program.tokens(admin)["access_token"]
    led = change(admin)
    assert led == f"{PAGE}?changed=yes"
    assert "Password changed." in admin.get(led).text
    assert (is_in(admin), is_in(there)) == (True, False)
    assert program.call(token).status_code == 401
    assert there.come_in().status_code == 400
    assert there.come_in(NEW).status_code == 303
    assert ("page", "change_password") in admin.audit_events()


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"old": "a wrong guess"}, "Wrong password."),
        ({"new": "short", "again": "short"}, "Enter 10 to 1,000 characters"),
        ({"again": "another horse"}, "Enter the new password twice"),
    ],
)
def test_a_refused_form_changes_nothing_and_repeats_no_password(
    admin: Sitter, fields: dict[str, str], problem: str
) -> None:
    page = change(admin, **fields)
    assert problem in page
    for password in {PASSWORD, NEW, *fields.values()}:
        assert f'"{password}"' not in page
    assert (is_in(admin), admin.elsewhere().cookies.get("desk") is not None) == (True, True)


def test_guesses_at_the_password_lock_it_as_in_sign_in(admin: Sitter) -> None:
    for number in range(10):
        assert "Wrong password." in change(admin, old=f"guess {number}")
    assert "Too many wrong passwords" in change(admin)
