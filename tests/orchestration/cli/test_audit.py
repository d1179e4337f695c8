"""`tracker audit` and `tracker user`, as the installation's owner uses them."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from orchestration.cli.app import app
from orchestration.cli.output import CommandFailed
from tests.orchestration.commands import environment


@pytest.fixture
def env(tmp_path: Path, database_url: str) -> dict[str, str]:
    return environment(tmp_path, database_url)


def tracker(*arguments: str, env: dict[str, str]) -> Result:
    return CliRunner().invoke(app, arguments, env=env)


@pytest.fixture
def acme(env: dict[str, str]) -> Any:
    created = tracker(
        *("org", "create", "--name", "Acme", "--email", "ops@test.invalid", "--json"), env=env
    )
    assert created.exit_code == 0, created.stderr
    return json.loads(created.stdout)


def audit(env: dict[str, str], *filters: str) -> Any:
    printed = tracker("audit", "--json", *filters, env=env)
    assert printed.exit_code == 0, printed.stderr
    return json.loads(printed.stdout)


def test_a_platform_admin_is_added_and_removed_with_audit_events(
    env: dict[str, str], acme: Any
) -> None:
    command = ["user", "platform-admin", "OPS@test.invalid"]
    refused = tracker(*command, env=env)
    assert isinstance(refused.exception, CommandFailed)
    assert f"ops@test.invalid is user {acme['user_id']}, created at " in str(refused.exception)
    assert refused.exception.way_out == (
        f"If you mean this user, repeat with `--existing {acme['user_id']}`."
    )
    done = tracker(*command, "--existing", acme["user_id"], env=env)
    assert done.stdout == "ops@test.invalid is a platform admin.\n"
    undone = tracker("user", "platform-admin", "ops@test.invalid", "--revoke", "--json", env=env)
    assert json.loads(undone.stdout) == {"user_id": acme["user_id"], "is_platform_admin": False}
    records = audit(env, "--action", "user platform-admin", "--entity-id", acme["user_id"])
    assert [record["changes"][0]["changes"] for record in records] == [
        {"is_platform_admin": {"from": True, "to": False}},
        {"is_platform_admin": {"from": False, "to": True}},
    ]


def test_an_organization_is_given_to_an_existing_user_only_by_its_id(
    env: dict[str, str], acme: Any
) -> None:
    assert "/invitations/" in acme["invitation_url"]
    command = ["org", "create", "--name", "Next", "--email", "Ops@test.invalid", "--json"]
    refused = tracker(*command, env=env)
    assert isinstance(refused.exception, CommandFailed)
    assert "without an invitation" in str(refused.exception)
    second = json.loads(tracker(*command, "--existing", acme["user_id"], env=env).stdout)
    assert second["user_id"] == acme["user_id"]
    assert "invitation_url" not in second


def test_a_password_is_read_from_standard_input_and_not_printed(
    env: dict[str, str], acme: Any
) -> None:
    command = ["user", "set-password", "OPS@test.invalid", "--json"]
    done = CliRunner().invoke(app, command, env=env, input="correct horse battery\n")
    assert json.loads(done.stdout) == {"user_id": acme["user_id"]}
    [record] = audit(env, "--action", "user set-password")
    assert record["changes"][0]["changes"] == {"password_hash": {"from": None, "to": "(not shown)"}}


@pytest.mark.parametrize(
    ("email", "password"), [("ops@test.invalid", "short"), ("nobody@test.invalid", "long enough")]
)
def test_invalid_passwords_and_unknown_users_are_refused(
    env: dict[str, str], acme: Any, email: str, password: str
) -> None:
    assert acme
    command = ["user", "set-password", email]
    refused = CliRunner().invoke(app, command, env=env, input=f"{password}\n")
    assert isinstance(refused.exception, CommandFailed)
    assert refused.exception.exit_code == 2


def test_an_unknown_user_is_named_in_one_line(env: dict[str, str]) -> None:
    refused = tracker("user", "platform-admin", "nobody@test.invalid", env=env)
    assert isinstance(refused.exception, CommandFailed)
    assert refused.exception.exit_code == 2
    assert (
        str(refused.exception) == "there is no user with the e-mail address 'nobody@test.invalid'."
    )


def test_audit_events_of_the_command_line_omit_secrets(env: dict[str, str], acme: Any) -> None:
    (record,) = audit(env, "--organization", acme["organization_id"])
    assert (record["channel"], record["action"]) == ("cli", "org create")
    kinds = {change["entity_type"]: change for change in record["changes"]}
    assert kinds.keys() == {
        *("organization", "user", "member", "api_key", "payout_method", "invitation")
    }
    assert kinds["invitation"]["changes"]["token_hash"] == {"from": None, "to": "(not shown)"}
    assert kinds["organization"]["changes"]["name"] == {"from": None, "to": "Acme"}
    assert kinds["api_key"]["changes"]["key_hash"] == {"from": None, "to": "(not shown)"}
    printed = tracker("audit", env=env).stdout
    assert "org create" in printed
    assert "name: None -> 'Acme'" in printed
    assert acme["api_key"] not in printed


def test_filters_that_leave_nothing_print_nothing(env: dict[str, str], acme: Any) -> None:
    assert audit(env, "--since", "2999-01-01") == []
    assert audit(env, "--until", "2000-01-01") == []
    assert audit(env, "--entity-type", "video") == []
    assert audit(env, "--user", acme["user_id"]) == []
    refused = tracker("audit", "--entity-id", "not-an-id", env=env)
    assert refused.exit_code == 2
