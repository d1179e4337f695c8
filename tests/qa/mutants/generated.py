"""Mutants that operators make of the modules in `modules.toml`, without quoting their text.

mutmut 3 and cosmic-ray 8 change Python only, and half of our rules are SQL inside Jinja. So this
changes Python by its syntax tree, and SQL by its tokens outside comments, strings and Jinja.
"""

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator
from copy import copy
from random import Random

from tests.qa.mutants.mutant import MODULES, REPOSITORY, Mutant

GENERATED = "generated"
OPPOSITES: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
}
FILTERS = {"where", "filter", "with_for_update", "distinct", "limit", "join"}
"""Calls whose removal leaves a valid query."""
SQL_TOKEN = re.compile(
    r"--[^\n]*|\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}|'[^']*'"
    r"|<=|>=|<>|!=|->|=>|<|>|=|\+|-|\b(?:and|or|not)\b|\b(?:least|greatest|min|max|floor|ceil)(?=\()",
    re.DOTALL,
)
SQL_OPPOSITES = {
    "<=": "<",
    "<": "<=",
    ">=": ">",
    ">": ">=",
    "=": "<>",
    "<>": "=",
    "!=": "=",
    "+": "-",
    "-": "+",
    "and": "or",
    "or": "and",
    "not": "",
    "least": "greatest",
    "greatest": "least",
    "min": "max",
    "max": "min",
    "floor": "ceil",
    "ceil": "floor",
}

Change = tuple[int, int, str]
"""Start, end and replacement text of a change."""


def generated(each: int, seed: int) -> Iterator[Mutant]:
    """Yield this many mutants of each module, chosen by the seed."""
    for module in tomllib.loads(MODULES.read_text(encoding="utf-8"))["module"]:
        mutants = list(mutants_of(module["file"], tuple(module["tests"])))
        yield from Random(f"{seed} {module['file']}").sample(mutants, min(each, len(mutants)))


def mutants_of(file: str, tests: tuple[str, ...]) -> Iterator[Mutant]:
    """Yield all mutants of a file. Each quotes the whole text, read at the same moment."""
    text = (REPOSITORY / file).read_text(encoding="utf-8")
    for begin, end, new in sorted(set(changes_of(file, text))):
        line = text.count("\n", 0, begin) + 1
        old, short = (" ".join(part.split()) for part in (text[begin:end], new))
        yield Mutant(
            name=f"{file}:{line}:{begin} {old} -> {short}",
            file=file,
            replace=text,
            by=text[:begin] + new + text[end:],
            wrong=f"line {line}: {old} -> {short}",
            tests=tests,
            table=GENERATED,
        )


def changes_of(file: str, text: str) -> Iterable[Change]:
    return python_changes(text) if file.endswith(".py") else sql_changes(text)


def sql_changes(text: str) -> Iterator[Change]:
    """Replace comparisons, signs, connectives and bounds by their opposites, one at a time."""
    for token in SQL_TOKEN.finditer(text):
        if token.group() in SQL_OPPOSITES:
            yield token.start(), token.end(), SQL_OPPOSITES[token.group()]


def python_changes(text: str) -> Iterator[Change]:
    """Invert operators, shift numbers, and remove conditions and calls."""
    starts = [0]
    for line in text.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    content = text.encode()

    def at(line: int, column: int) -> int:
        return len(content[: starts[line - 1] + column].decode())

    for node in outside_f_strings(ast.parse(text)):
        for new in replacements(node):
            assert isinstance(node, ast.expr | ast.stmt)
            assert node.end_lineno is not None
            assert node.end_col_offset is not None
            begin = at(node.lineno, node.col_offset)
            yield begin, at(node.end_lineno, node.end_col_offset), new


def outside_f_strings(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a node and its descendants; Python 3.11 has no positions inside f-strings."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.JoinedStr):
            yield from outside_f_strings(child)


def replacements(node: ast.AST) -> Iterator[str]:
    yield from replaced_operators(node)
    yield from left_out_of_queries(node)
    match node:
        case ast.Constant(value=int(number)) if not isinstance(number, bool):
            yield str(number + 1)
        case ast.IfExp(body=first, orelse=second):
            yield from (f"({ast.unparse(each)})" for each in (first, second))
        case ast.If(orelse=[]) | ast.Expr(value=ast.Call()):
            yield "pass"
        case _:
            return


def replaced_operators(node: ast.AST) -> Iterator[str]:
    """Yield an expression with the opposite operator, or without a part of its condition."""
    match node:
        case ast.Compare(ops=[operator]) if type(operator) in OPPOSITES:
            yield _with(node, ops=[OPPOSITES[type(operator)]()])
        case ast.BinOp(op=operator) if type(operator) in OPPOSITES:
            yield _with(node, op=OPPOSITES[type(operator)]())
        case ast.BoolOp(op=operator, values=values):
            yield _with(node, op=OPPOSITES[type(operator)]())
            yield from (_with(node, values=_without(values, at)) for at in range(len(values)))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield f"({ast.unparse(operand)})"
        case _:
            return


def left_out_of_queries(node: ast.AST) -> Iterator[str]:
    """Yield a query without one of its calls, or without one of several conditions."""
    match node:
        case ast.Call(func=ast.Attribute(value=query, attr=name), args=args) if name in FILTERS:
            yield ast.unparse(query)
            if len(args) > 1:
                yield from (_with(node, args=_without(args, at)) for at in range(len(args)))
        case _:
            return


def _without(nodes: list[ast.expr], left_out: int) -> list[ast.expr]:
    return nodes[:left_out] + nodes[left_out + 1 :]


def _with(node: ast.expr, **changed: object) -> str:
    changed_node = copy(node)
    for name, value in changed.items():
        setattr(changed_node, name, value)
    return f"({ast.unparse(changed_node)})"
