"""Former house words of GLOSSARY.md and docs do not remain as names.

Names are those that Python binds, files and folders, models and columns of dbt, tables and columns
of PostgreSQL, settings, commands and options, and the text of pages. Test names are exempt.
"""

import ast
import re
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from orchestration.cli.app import app as tracker
from orchestration.cli.commands import Commands
from warehouse.operational import models
from warehouse.operational.base import Base
from warehouse.settings import REPOSITORY, Settings

PACKAGES = ("scrapers", "warehouse", "serving_api", "orchestration", "dbt_project", "docs")
HISTORY = ("warehouse/operational/migrations/versions/", "serving_api/changelog/")
RETIRED = {
    **dict.fromkeys(
        ("errand", "agenda", "basket", "sweep"), "request context, queue, buffer, crawl"
    ),
    **dict.fromkeys(("deed", "plainer", "door"), "audit event, error_messages, interface"),
    **dict.fromkeys(("look", "looked", "looking"), "fetch"),
    **dict.fromkeys(("visit", "visited", "visitor"), "account fetch"),
    **dict.fromkeys(("walk", "walked"), "comment crawl"),
    "stretch": "interval",
    "machinery": "internal",
    "letting": "disconnect",
    "round": "tick",
    **dict.fromkeys(("advance", "advanced", "advancing"), "promote"),
    **dict.fromkeys(("gate", "admit", "admitted", "judge"), "authenticate, authorize"),
    "standing": "status, current state",
    "exposure": "committed spend",
    **dict.fromkeys(("pass", "passes"), "pipeline run"),
    "chain": "fallback chain",
    **dict.fromkeys(("continue", "continues", "continued"), "incremental"),
    "place": "project scope, path, position",
    "mark": "high-water mark, event, phrase",
    "wanted": "what it holds: filters, targets, due posts",
    "said": "what it holds: message, statement, dispute",
    **dict.fromkeys(("keep", "kept", "keeping"), "cache, store, retain, copy"),
    **dict.fromkeys(
        ("take", "taken", "taking", "took"), "fetch, consume, acquire; a handle in use"
    ),
    "held": "locked, pinned, left out; an amount waits for a check, or is on hold",
    "found": "what it holds: row, results, what is required",
    "shown": "what it holds: page, rows, content",
    "asked": "what it holds: query, request, filters",
    **dict.fromkeys(("nobody", "whoever"), "no user, no process; the one meant"),
    "anew": "again",
    **dict.fromkeys(("tell", "told", "telling"), "report, send, notify, describe"),
}
RETIRED_IN = {
    "warehouse/landing/": {"part": "segment"},
    "warehouse/raw/": {"part": "segment"},
    "serving_api/idempotency/": {"attempt": "idempotent request"},
    "dbt_project/macros/forecasts/": {"step": "growth increment"},
    "dbt_project/models/intermediate/forecasts/": {"step": "growth increment"},
    "dbt_project/models/marts/forecasts/": {"step": "growth increment"},
}
"""Everyday words that had a special meaning in these folders alone."""
PHRASES = re.compile(
    r"looks?_(up|back|for|like)|looked_up|look(ing|s)?_for|fallback_?chains?|high_water_?marks?"
    r"|not_?found",
    re.IGNORECASE,
)
"""Everyday phrasal verbs, and established terms that contain a retired word."""
NAMED_IN_SQL = re.compile(
    r"\b(?P<query>\w+)(?: \([\w, ]+\))? as (?:(?:not )?materialized )?\(|\bas (?P<alias>\w+)"
)
CONTRACT = {
    "looks",
    *("exposure", "exposure_cents", "BudgetExposure"),
    *("Place",),
    *("Asked", "AskedForBudget", "shown"),
    *("held", "held_cents", "AccrualHeld"),
}
"""Fields, paths, schemas and operation ids of the API do not change."""
EXTERNAL = {
    "exposures": "dbt",
    "foreign_pre_chain": "structlog",
    "keep": "polars",
    "keep_alive": "uvicorn",
    "keep_blank_values": "urllib",
    "keep_subprocess_alive": "uvicorn",
    "timeout_keep_alive_task": "uvicorn",
    "pass_fds": "subprocess",
}
"""Names that external programs read."""
STORED = {
    "post_looks": "PostgreSQL",
    "look_deadlines": "PostgreSQL",
    "looked_at": "PostgreSQL",
    "profile_looked_at": "PostgreSQL",
    "visits": "PostgreSQL",
    "wanted": "PostgreSQL",
    "told": "PostgreSQL",
    "shown_changes": "PostgreSQL",
    "walked_at": "PostgreSQL",
    "comment_walks": "raw.comment_walks and the landed batches of that kind, which rebuild reads",
    "COMMENT_WALKS": "the same",
    "posts_asked_for_id": "a key of the files that TRACKER_TIKTOK_ROUTES names",
    "payout_kept_videos": "control.payout_kept_videos, whose rows come from int_payout_kept_videos",
    "int_payout_kept_videos": "the same",
    "is_held": "payout_holds, a mart, which analysts' SQL names",
    "recent_looks": "a mart, which analysts' SQL names",
    "growth_curves.steps": "a column of a mart, which analysts' SQL names",
    "earning.place": "files.earning of publications",
    "shared_publications.place": "PostgreSQL",
    **dict.fromkeys(
        ("script_mark", "token_mark", "description_mark", "mark_prefix", "challenge_marks"),
        "a key of routes.toml, which operators may replace",
    ),
    **dict.fromkeys(("login_marks", "post_missing_marks", "region_marks"), "the same"),
    **dict.fromkeys(
        ("int_video_last_marks", "video_last_marks"), "control.video_last_marks of a warehouse"
    ),
    **dict.fromkeys(
        (
            f"{counter}_mark{suffix}"
            for counter in ("view", "like", "comment", "share", "save")
            for suffix in ("", "_before")
        ),
        "its columns",
    ),
    "gate": "a key of Instagram's routes.toml, which operators may replace",
    "machinery": "a schema of publications that releases have made",
    "MACHINERY": "the same",
    "_create_views_of_machinery": "the same",
}
"""Zero-downtime upgrades add first and remove one version later: these go with a release."""


def tracked(*folders: str) -> list[str]:
    names = ["git", "ls-files", *(folders or PACKAGES)]
    listed = subprocess.run(names, cwd=REPOSITORY, check=True, capture_output=True, text=True)
    return [name for name in listed.stdout.splitlines() if not name.startswith(HISTORY)]


def words_of(name: str) -> Iterator[str]:
    """Yield the words of a name, in lower case and without a plural s."""
    for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name):
        yield re.sub(r"(?<=[a-z]{3})(?<![us])e?s$", "", word.lower())
        yield word.lower()


def retired_in(names: Iterable[str], words: Iterable[str] = RETIRED) -> set[str]:
    """Return the names with a retired word, except for the allowed ones."""
    return {
        name
        for name in names
        if name not in STORED and name not in CONTRACT and name not in EXTERNAL
        if not set(words).isdisjoint(words_of(PHRASES.sub("", name)))
    }


def bound_in(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case ast.ClassDef(name=name) | ast.arg(arg=name) | ast.keyword(arg=str(name)):
                yield name
            case ast.alias(asname=str(name)) | ast.ExceptHandler(name=str(name)):
                yield name
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name


def queries_in(path: str) -> Iterator[str]:
    """Yield the SQL of a file without comments, or the queries among a module's strings."""
    if path.endswith(".sql"):
        text = (REPOSITORY / path).read_text("utf-8")
        yield re.sub(r"\{#.*?#\}|--[^\n]*", "", text, flags=re.DOTALL)
    elif path.endswith(".py"):
        for node in ast.walk(ast.parse((REPOSITORY / path).read_text("utf-8"))):
            match node:
                case ast.Constant(value=str(text)) if re.search(r"\n *(select|from)\b", text):
                    yield text


def named_in(path: str) -> Iterator[str]:
    """Yield the names that a file's SQL defines, except for stored columns."""
    for query in queries_in(path):
        for match in NAMED_IN_SQL.finditer(query):
            name = match["query"] or match["alias"]
            if f"{Path(path).stem}.{name}" not in STORED:
                yield name


def names_of(path: str) -> Iterator[str]:
    """Yield a file's own name and those that its Python and SQL define."""
    yield Path(path).stem
    yield from named_in(path)
    if path.endswith(".py"):
        yield from bound_in((REPOSITORY / path).read_text("utf-8"))


def commands(command: Any) -> Iterator[str]:
    """Yield the names of a command, its options and its subcommands."""
    yield command.name or ""
    yield from (option for param in command.params for option in param.opts)
    if isinstance(command, Commands):
        for name in command.modules:
            yield from commands(command.loaded(name))


@pytest.mark.slow
def test_no_name_in_python_has_a_retired_word() -> None:
    names_by_file = {
        path: retired
        for path in tracked()
        if path.endswith(".py")
        if (retired := retired_in(bound_in((REPOSITORY / path).read_text("utf-8"))))
    }
    assert names_by_file == {}


@pytest.mark.slow
def test_no_docstring_has_an_indefinite_subject() -> None:
    indefinite = re.compile(r"\b(nobody|whoever|anew|that which)\b", re.IGNORECASE)
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    phrases = {
        f"{path}:{text[:40]}": match.group()
        for path in tracked(*PACKAGES, "tests")
        if path.endswith(".py")
        for node in ast.walk(ast.parse((REPOSITORY / path).read_text("utf-8")))
        if isinstance(node, documented) and (text := ast.get_docstring(node))
        if (match := indefinite.search(text))
    }
    assert phrases == {}


@pytest.mark.slow
def test_no_query_or_column_of_sql_has_a_retired_word() -> None:
    names_by_file = {path: retired for path in tracked() if (retired := retired_in(named_in(path)))}
    assert names_by_file == {}


@pytest.mark.parametrize("folder", RETIRED_IN)
def test_a_retired_meaning_of_a_word_is_not_used_in_its_folder(folder: str) -> None:
    paths = [path for path in tracked() if path.startswith(folder)]
    names_by_file = {path: retired_in(names_of(path), RETIRED_IN[folder]) for path in paths}
    assert paths
    assert {path: retired for path, retired in names_by_file.items() if retired} == {}


def test_no_file_or_folder_has_a_retired_word() -> None:
    paths = [path for path in tracked() if not path.startswith("dbt_project/tests/")]
    parts = {part.partition(".")[0] for path in paths for part in Path(path).parts}
    assert retired_in(parts) == set()


def test_no_model_column_or_table_has_a_retired_word() -> None:
    columns = {
        name
        for path in tracked()
        if path.endswith(".yml")
        for text, *_unit_tests in [(REPOSITORY / path).read_text("utf-8").split("\nunit_tests:")]
        for name in re.findall(r"- \{?name: (\w+)", text)
    }
    assert models.Creator.metadata is Base.metadata
    tables = Base.metadata.tables
    rows = {
        column.name
        for table in tables.values()
        for column in table.columns
        if str(column) not in STORED
    }
    assert retired_in(columns | rows | set(tables)) == set()


def test_no_setting_or_command_has_a_retired_word() -> None:
    assert retired_in({*Settings.model_fields, *commands(get_command(tracker))}) == set()


def test_no_page_has_a_retired_word() -> None:
    """Nouns only: as verbs, these are everyday English."""
    nouns = re.compile(
        r"\b([Aa]|the|per|each|last|next|of|without a|plan of) (look|visit|walk|stretch)(?!-)s?\b"
    )
    words = re.compile(
        r"\b(errand|agenda|deed|sweep|basket|machinery|letting go)s?\b", re.IGNORECASE
    )
    phrases = {
        path: [match.group() for match in (*nouns.finditer(text), *words.finditer(text))]
        for path in tracked()
        if path.endswith(".html")
        for text in [
            re.sub(r"<[^>]*>|\{[%#{].*?[%#}]\}", " ", (REPOSITORY / path).read_text("utf-8"))
        ]
    }
    assert {path: matches for path, matches in phrases.items() if matches} == {}
