"""The reference pages that are generated from the code: `make catalogue` writes docs/reference.

They list settings, commands, routes, errors and models, with the descriptions in the code.
"""

import ast
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from importlib.metadata import version
from inspect import getsource
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from typer.main import get_command

from orchestration.cli.app import app as tracker
from orchestration.cli.commands import Commands
from serving_api.errors import ApiError
from serving_api.openapi import document
from serving_api.process import gauges
from serving_api.process import metrics as requests
from serving_api.router import KEYED, PREFIX, PUBLIC
from warehouse import step_metrics
from warehouse.catalogue.models import MARTS, schemas
from warehouse.publication.described import descriptions
from warehouse.settings import REPOSITORY, Settings

METHODS = ("get", "post", "put", "patch", "delete")
FIRST_ERROR = 400
_LABELS = 2


def pages() -> Iterator[tuple[str, str]]:
    """Yield (file name, Markdown) of each generated page."""
    api = openapi()
    yield "settings.md", settings()
    yield "cli.md", command_line()
    yield "rest.md", rest(api)
    yield "errors.md", errors(api)
    yield "tables.md", tables()
    yield "metrics.md", monitoring_metrics()


def cell(text: object) -> str:
    """Escape a text for one table cell."""
    joined = " ".join(str(text or "").split())
    return escape(joined, quote=False).replace("|", "\\|")


def table(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """Return a Markdown table. The cells are Markdown already."""
    lines = (header, ("---",) * len(header), *rows)
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def settings() -> str:
    rows = (
        (f"`TRACKER_{name.upper()}`", _default(field), cell(field.description))
        for name, field in Settings.model_fields.items()
    )
    return (
        "# Settings\n\n"
        "Environment variables, or a file `.env` in the folder where a command starts. "
        "A misspelled `TRACKER_` variable is reported with the nearest setting.\n\n"
        + table(("setting", "default", "effect"), rows)
    )


def _default(field: Any) -> str:
    value = field.get_default(call_default_factory=True)
    return (
        ""
        if value in (None, (), "") or isinstance(value, Path)
        else f"`{json.dumps(value, default=str)}`".replace('"', "")
    )


def command_line() -> str:
    group: Any = get_command(tracker)
    return f"# Command line\n\n{group.help}\n\n" + "\n".join(_of_commands(group, "tracker"))


def _of_commands(group: Any, path: str) -> list[str]:
    return [_of_command(group.loaded(name), f"{path} {name}") for name in sorted(group.modules)]


def _of_command(command: Any, path: str) -> str:
    text = f"## {path}\n\n{_paragraphs(command.help)}\n\n"
    if isinstance(command, Commands):
        named = _of_commands(command, path)
        return text + "\n".join(part.replace("## ", "### ", 1) for part in named)
    rows = [
        (_names(each), cell(_described(each)))
        for each in command.params
        if not getattr(each, "hidden", False)
    ]
    return text + (table(("argument or option", "meaning"), rows) if rows else "")


def _paragraphs(text: str | None) -> str:
    return "\n\n".join(" ".join(part.split()) for part in (text or "").split("\n\n"))


def _names(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return f"`{parameter.metavar or parameter.name.upper()}`"
    return ", ".join(f"`{name}`" for name in (*parameter.opts, *parameter.secondary_opts))


def _described(parameter: Any) -> str:
    help_text = getattr(parameter, "help", None) or ""
    plain = parameter.default is not None and not callable(parameter.default)
    if plain and parameter.default not in (False, True, ()):
        return f"{help_text} Default: {parameter.default}."
    return f"{help_text} Required." if parameter.required else help_text


def openapi() -> dict[str, Any]:
    """Return the OpenAPI document. Needs no database."""
    app = FastAPI(
        title="Creator Tracking Service API",
        version=version("creator-tracker"),
        generate_unique_id_function=lambda route: route.name,
    )
    for router in (*KEYED, *PUBLIC):
        app.include_router(router, prefix=PREFIX)
    document.install(app)
    return app.openapi()


def _operations(api: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, item in api["paths"].items():
        for method in METHODS:
            if method in item:
                yield method, path, item[method]


def rest(api: dict[str, Any]) -> str:
    """Return the page of REST operations, grouped by tag."""
    by_tag: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for method, path, operation in _operations(api):
        row = (f"`{method.upper()} {path}`", cell(operation.get("summary")))
        by_tag[next(iter(operation.get("tags", ())), "other")].append(row)
    parts = (
        f"## {tag}\n\n{table(('operation', 'what it does'), by_tag[tag])}" for tag in sorted(by_tag)
    )
    return (
        "# REST\n\n"
        "A running service shows parameters, bodies and examples at `/docs`. "
        f"The OpenAPI document is `{PREFIX}/openapi.json`. "
        "[Generate a client](../clients.md) from it in your language.\n\n" + "\n".join(parts)
    )


def errors(api: dict[str, Any]) -> str:
    """Return the page of error codes, with status and number of operations that answer each."""
    answering: dict[str, int] = defaultdict(int)
    for _, _, operation in _operations(api):
        answers = json.dumps(operation["responses"])
        for code in set(re.findall(r'"code": "(\w+)"', answers)):
            answering[code] += 1
    classes = {(each.status, each.code): each for each in _leaves(ApiError)}
    rows = (
        (f"`{code}`", str(status), cell(_first(each.__doc__)), str(answering[code] or ""))
        for (status, code), each in sorted(classes.items(), key=lambda item: item[0])
    )
    return (
        "# Error codes\n\n"
        "Every error has the same shape: `error` is a sentence for people, `meta.code` a stable "
        "code for programs. New codes may appear; handle unknown ones by their status.\n\n"
        + table(("code", "status", "meaning", "operations"), rows)
    )


def _leaves(error: type[ApiError]) -> Iterator[type[ApiError]]:
    for each in error.__subclasses__():
        yield from _leaves(each)
        if each.status >= FIRST_ERROR:
            yield each


def _first(doc: str | None) -> str:
    return (doc or "").split("\n\n", maxsplit=1)[0]


def tables() -> str:
    """Return the page of marts with the meaning of each column."""
    marts = {name for name, schema in schemas().items() if schema == MARTS} | {"publication"}
    parts = []
    for name, (means, columns) in sorted(descriptions().items()):
        if name in marts:
            rows = ((f"`{column}`", cell(text)) for column, text in columns.items())
            text = table(("column", "meaning"), rows) if columns else ""
            parts.append(f"## {name}\n\n{cell(means)}\n\n{text}")
    return (
        "# Tables\n\nSchema `marts` of a publication. See also "
        "[grain and keys](../../warehouse/README.md) and [questions in SQL](../recipes.md). "
        "`make docs` adds dbt's own pages with lineage and tests.\n\n" + "\n".join(parts)
    )


def monitoring_metrics() -> str:
    """Return the page of Prometheus metrics, read from the source of the calls that define them."""
    rows = [*_calls(gauges), *_calls(requests)]
    rows += [
        (f"`{name}`", cell(meaning), "") for name, meaning in step_metrics.DESCRIPTIONS.items()
    ]
    return (
        "# Monitoring metrics\n\n"
        "`/metrics` in Prometheus' text format. "
        "[Monitor](../operations/monitor.md) has alert rules and a dashboard.\n\n"
        + table(("metric", "meaning", "labels"), sorted(set(rows)))
    )


def _calls(module: Any) -> Iterator[tuple[str, str, str]]:
    """Yield a row for each call that defines a metric. Its text may be a variable set before it."""
    texts: dict[str, str] = {}
    nodes = (node for node in ast.walk(ast.parse(getsource(module))) if hasattr(node, "lineno"))
    for node in sorted(nodes, key=lambda each: each.lineno):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            texts[node.targets[0].id] = _text(node.value, {})
        elif isinstance(node, ast.For):
            texts.clear()
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
            name, *means = (_text(each, texts) for each in node.args[:2])
            if means and node.func.id == "_gauge":
                yield f"`tracker_{name}`", cell(*means), _labels(node)
            elif means and node.func.id in {"Counter", "Histogram"}:
                yield f"`{name}`", cell(*means), "method, route"


def _text(node: ast.expr, texts: Mapping[str, str]) -> str:
    """Return a literal, an f-string with `*` for placeholders, or the value of a variable."""
    if isinstance(node, ast.Name):
        return texts.get(node.id, "")
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(each, texts) or "*" for each in node.values)
    if isinstance(node, ast.FormattedValue):
        return _text(node.value, texts)
    return str(node.value) if isinstance(node, ast.Constant) else ""


def _labels(node: ast.Call) -> str:
    labels = node.args[_LABELS] if len(node.args) > _LABELS else None
    return ", ".join(_text(e, {}) for e in labels.elts) if isinstance(labels, ast.Tuple) else ""


if __name__ == "__main__":
    for name, page in pages():
        (REPOSITORY / "docs" / "reference" / name).write_text(page, "utf-8")
