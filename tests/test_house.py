"""House rules that no linter checks."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.qa.soak import REPEATED, STEADY

ROOT = Path(__file__).resolve().parent.parent
TOP_LEVEL = {
    "orchestration",
    "dbt_project",
    "docs",
    "scrapers",
    "serving_api",
    "warehouse",
    "tests",
    "pyproject.toml",
    "setup.py",
    "README.md",
    "GLOSSARY.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "Makefile",
    "LICENSE",
    "requirements.in",
    "requirements.txt",
    "requirements-dev.in",
    "requirements-dev.txt",
    ".ci",
    ".github",
    ".gitignore",
    ".pre-commit-config.yaml",
}


LONGEST_OF_TEMPLATES = 160


def tracked_files() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    return [ROOT / name for name in listed.stdout.split("\0") if name]


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def sources() -> list[Path]:
    return [
        path
        for path in tracked_files()
        if path.suffix in {".py", ".sql", ".yml", ".toml", ".md"} and path.exists()
    ]


def test_the_top_level_has_the_named_folders_and_nothing_else() -> None:
    assert {path.relative_to(ROOT).parts[0] for path in tracked_files()} == TOP_LEVEL


def test_pinned_requirements_have_hashes_and_name_no_index() -> None:
    for name in ("requirements.txt", "requirements-dev.txt", "tests/clients/generator.txt"):
        text = text_of(ROOT / name)
        assert "index-url" not in text
        assert "://" not in text
        pins = re.findall(r"^[a-z0-9][^ \n]*==", text, re.MULTILINE)
        assert pins
        assert len(re.findall(r"--hash=sha256:[0-9a-f]{64}", text)) >= len(pins)


def test_parquet_is_read_without_columns_from_the_names_of_folders() -> None:
    """DuckDB turns a parent folder `source=x` into a column, which replaces the file's."""
    call = re.compile(r"(?<!pl\.)read_parquet\((?!'|.*ALONE).*")
    others = [
        f"{path.relative_to(ROOT)}: {line}"
        for path in sources()
        if path.suffix == ".py" and path.relative_to(ROOT).parts[0] == "warehouse"
        for line in call.findall(text_of(path))
    ]
    assert others == []


def test_every_module_has_a_docstring() -> None:
    packages = ("scrapers", "warehouse", "serving_api", "orchestration")
    silent = [
        str(path.relative_to(ROOT))
        for path in sources()
        if path.suffix == ".py"
        and path.relative_to(ROOT).parts[0] in packages
        and not text_of(path).lstrip().startswith(('"""', 'r"""'))
    ]
    assert silent == []


@pytest.mark.slow
def test_words_that_were_replaced_do_not_come_back() -> None:
    """Names and prose use the field's words; notes of older releases keep theirs."""
    retired = ["er" + "rand", "ag" + "enda", "de" + "ed", "swe" + "ep", "pla" + "iner"]
    word = re.compile(rf"(?<![a-z])({'|'.join(retired)})(s|ing)?(?![a-z])", re.IGNORECASE)
    history = (
        "CHANGELOG.md",
        "docs/changelog.md",
        "serving_api/changelog/",
        "warehouse/operational/migrations/",
    )
    history += ("tests/house/test_retired_words.py",)
    names = {path: str(path.relative_to(ROOT)) for path in sources()}
    words_by_file = {
        name: word.findall(f"{name} {text_of(path)}")
        for path, name in names.items()
        if not name.startswith(history) and word.search(f"{name} {text_of(path)}")
    }
    assert words_by_file == {}


def test_lines_of_templates_can_be_read() -> None:
    templates = sorted((ROOT / "serving_api" / "templates").glob("*.html"))
    long = [
        f"{path.name}:{number}"
        for path in templates
        for number, line in enumerate(text_of(path).splitlines(), start=1)
        if len(line) > LONGEST_OF_TEMPLATES
    ]
    assert templates
    assert long == []


def test_templates_import_the_macros_that_they_call() -> None:
    """An undefined name fails only when its part of the page renders."""
    texts = {path.name: text_of(path) for path in (ROOT / "serving_api/templates").glob("*.html")}
    macros = {name for text in texts.values() for name in re.findall(r"{%-? macro (\w+)", text)}
    missing = {}
    for template, text in texts.items():
        imported = ",".join(re.findall(r'{%-? from "[^"]+" import ([^%]+)', text))
        known = {*re.findall(r"{%-? (?:macro|set) (\w+)", text), *re.findall(r"\w+", imported)}
        code = " ".join(re.findall(r"{[{%](.*?)[%}]}", text, re.DOTALL))
        called = macros.intersection(re.findall(r"(?<![\w.|\"])(\w+)\(", code))
        missing[template] = sorted(called - known)
    assert macros
    assert {template: names for template, names in missing.items() if names} == {}


def test_code_has_no_todo_comments() -> None:
    marker = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X)\b")
    paths = [str(path.relative_to(ROOT)) for path in sources() if marker.search(text_of(path))]
    assert paths == []


def test_every_dbt_model_has_its_yaml_beside_it() -> None:
    models = (ROOT / "dbt_project" / "models").rglob("*.sql")
    assert [str(m.relative_to(ROOT)) for m in models if not m.with_suffix(".yml").exists()] == []


CATALOG = re.compile(
    r"\b(?:duckdb_(?:tables|columns|views|schemas|constraints|indexes)\(\)|information_schema\.\w+)"
)
NAMES_ITS_DATABASE = re.compile(r"\b(?:database_name|table_catalog|catalog_name)\s*=")


def test_questions_to_duckdbs_catalog_name_their_database() -> None:
    """It lists all attached databases, and another one may have the same names."""
    asking = [
        f"{path.relative_to(ROOT)}: {question.group()}"
        for path, text in ((path, text_of(path)) for path in sources())
        if path.relative_to(ROOT).parts[0] != "tests"
        for question in CATALOG.finditer(text)
        if not NAMES_ITS_DATABASE.search(text, question.end(), question.end() + 200)
    ]
    assert asking == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("loads", "heavy"),
    [
        (
            "orchestration.cli.app, orchestration.cli.serve, serving_api.process.serve",
            {"adbc_driver_manager", "dagster", "numpy", "polars", "pyarrow"},
        ),
        ("orchestration.assembly", {"dbt", "dbt_common"}),
    ],
    ids=["the server", "a process of Dagster"],
)
def test_a_process_loads_no_packages_that_only_others_need(loads: str, heavy: set[str]) -> None:
    """A server would take 100 MB more, and dbt takes a second in each process of Dagster."""
    program = f"import sys, {loads}; print(*{heavy} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, check=True, capture_output=True, text=True
    )
    assert done.stdout.split() == []


def test_each_word_of_the_glossary_appears_once_with_an_existing_place() -> None:
    rows = re.findall(
        r"^\| ([^|]+) \| [^|]+ \| ([^|]+) \|$", text_of(ROOT / "GLOSSARY.md"), re.MULTILINE
    )
    words = [word for row, _ in rows for word in row.split(", ") if set(word) != {"-"}]
    assert 30 < len(rows) - 2 * words.count("word") <= 35
    assert len(set(words) - {"word"}) == len([word for word in words if word != "word"])
    places = re.findall(r"`([\w./-]+)`", "".join(place for _, place in rows))
    assert [place for place in places if not (ROOT / place).exists()] == []


def test_each_numbered_rule_is_documented_once_and_implemented() -> None:
    """Rule M8 in macros, models and docstrings is the one with that number in docs/rules."""
    folder = ROOT / "docs" / "rules"
    numbers = [
        number
        for page in sorted(folder.glob("*.md"))
        for number in re.findall(r"^### (M[0-9]+) ", text_of(page), re.MULTILINE)
    ]
    rooms = {"dbt_project", "warehouse", "serving_api"}
    cited = {
        number
        for path in sources()
        if path.relative_to(ROOT).parts[0] in rooms and "comment_scoring" not in path.parts
        for number in re.findall(r"\bM[0-9]{1,2}\b", text_of(path))
    }
    assert sorted(numbers) == sorted(cited)


def test_every_page_that_the_models_cite_is_here() -> None:
    pages = {path.name for path in tracked_files() if path.suffix == ".md"}
    missing = [
        f"{path.relative_to(ROOT)}: {page}"
        for path in sources()
        if path.relative_to(ROOT).parts[0] == "dbt_project"
        for page in re.findall(r"[\w-]+\.md\b", text_of(path))
        if page not in pages
    ]
    assert missing == []


def test_parts_of_the_soak_name_tests_that_exist() -> None:
    """No landing runs all parts, so a rename would go unnoticed."""
    assert set(REPEATED) >= set(STEADY)
    for kind, (_, command) in REPEATED.items():
        paths, _, chosen = command.partition(" -k ")
        named = [ROOT / path for path in paths.split() if path.startswith("tests/")]
        assert [path for path in named if not path.exists()] == [], kind
        assert not chosen or any(chosen in text_of(path) for path in named), kind


TIMEZONE_CALL = re.compile(r"\btimezone\(\s*[\w.$]+,\s*([\w.$]+)")
INSTANT = re.compile(r"(_at|as_of|instant|due_from|due_until)$")


def test_no_sql_converts_a_local_time_to_an_instant() -> None:
    """When clocks go back it is ambiguous; `zones.start_of` and `int_utc_offsets` handle that."""
    calls = [
        f"{path.relative_to(ROOT)}: {call[0]}"
        for path in sources()
        if path.suffix in {".sql", ".py"} and ROOT / "tests" not in path.parents
        for call in TIMEZONE_CALL.finditer(text_of(path))
        if not INSTANT.search(call[1])
    ]
    assert calls == []


DATE_CAST = re.compile(
    r"cast\(((?:[^()]|\([^()]*\))*?)\s+as date\)|((?:[\w.]+|\((?:[^()]|\([^()]*\))*\)))::date\b"
)
NAMES_AN_INSTANT = re.compile(r"_at\b|as_of\b|instant\b|previous_run\b")
OF_A_ZONE = re.compile(r"\(?timezone\(|.* at time zone ", re.DOTALL)


def days_of_no_zone(text: str) -> list[str]:
    """Return the casts of an instant to a date."""
    return [
        cast.group()
        for cast in DATE_CAST.finditer(text)
        if (of := cast[1] or cast[2]) and NAMES_AN_INSTANT.search(of) and not OF_A_ZONE.match(of)
    ]


def test_no_model_casts_an_instant_to_a_date_without_a_zone() -> None:
    """Days are an organization's own: `local_day` with an offset of `int_utc_offsets`."""
    folders = {"dbt_project": {".sql"}, "warehouse": {".sql"}, "warehouse/reading": {".py"}}
    casts = {
        f"{path.relative_to(ROOT)}: {cast}"
        for folder, suffixes in folders.items()
        for path in sources()
        if path.suffix in suffixes and ROOT / folder in path.parents
        for cast in days_of_no_zone(text_of(path))
    }
    assert casts == set()


def test_make_names_the_python_that_it_needs_before_anything_is_installed(tmp_path: Path) -> None:
    for name in ("Makefile", "requirements.txt", "pyproject.toml"):
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    older = tmp_path / "python3.10"
    older.write_text("#!/bin/sh\necho 3.10.13\n", encoding="utf-8")
    older.chmod(0o755)
    made = subprocess.run(
        ["make", "--no-print-directory", "demo", f"PYTHON={older}"],
        cwd=tmp_path,
        check=False,
        capture_output=True,
        text=True,
    )
    needed = "Python 3.11 or newer is needed; this is 3.10.13: make demo PYTHON=python3.11"
    assert made.stdout.splitlines() == [needed]
    assert not (tmp_path / ".venv").exists()


def test_make_passes_arguments_to_the_demo() -> None:
    command = ["make", "--no-print-directory", "--dry-run", "demo", "ARGS=--no-serve"]
    made = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    assert made.stdout.splitlines()[-1].endswith("/tracker demo --no-serve")


def test_clients_are_not_built_without_npm(tmp_path: Path) -> None:
    bash = shutil.which("bash")
    assert bash
    command = [bash, str(ROOT / "docs/clients/build"), str(tmp_path)]
    path = {"PATH": str(tmp_path)}
    made = subprocess.run(command, check=False, capture_output=True, text=True, env=path)
    assert (made.returncode, made.stdout) == (1, "")
    assert made.stderr.startswith("npm is missing: ")
