"""An index that finds tools by words: their own, people's, and values of their arguments."""

import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from serving_api.mcp.tools import OperationTool

# The library's BM25 (fastmcp 4.1.2, `BM25SearchTransform`) does not stem, knows only the tools' own
# words and weighs examples like names: it found 49 of 60 test questions.
_WEIGHTS = (4, 4, 4, 2, 1)
"""Of the columns name, summary, words, description, arguments."""

_WORD = re.compile(r"[^\W_]{3,}")
_NO_SUBJECT = {
    *("all", "and", "any", "are", "can", "did", "does", "for", "from", "give", "has", "have"),
    *("how", "many", "much", "our", "out", "show", "that", "the", "their", "there", "this"),
    *("was", "were", "what", "when", "where", "which", "who", "why", "with"),
}


class ToolIndex:
    """Finds tools by words in their descriptions."""

    def __init__(self, tools: Iterable[OperationTool]) -> None:
        self._tools = list(tools)
        # Created in a thread, used only in the event loop.
        self._connection = sqlite3.connect(":memory:", check_same_thread=False)
        self._connection.execute(
            "create virtual table tools using fts5("
            "name, summary, words, description, arguments, tokenize = 'porter unicode61')"
        )
        self._connection.executemany(
            "insert into tools (rowid, name, summary, words, description, arguments)"
            " values (?, ?, ?, ?, ?, ?)",
            ((number, *_columns(tool)) for number, tool in enumerate(self._tools)),
        )

    def search(self, query: str) -> Sequence[OperationTool]:
        """Return tools with any of the words, best first."""
        words = " OR ".join(f'"{word}"' for word in words_of(query))
        if not words:
            return []
        rows = self._connection.execute(
            "select rowid from tools where tools match ?"
            " order by bm25(tools, ?, ?, ?, ?, ?), rowid",
            (words, *_WEIGHTS),
        )
        return [self._tools[number] for (number,) in rows]


def words_of(query: str) -> list[str]:
    return [word for word in _WORD.findall(query.lower()) if word not in _NO_SUBJECT]


def _columns(tool: OperationTool) -> tuple[str, ...]:
    operation, entry = tool.operation, tool.operation.entry
    names = f"{tool.name} {operation.declared['operationId']}"
    text = f"{operation.declared['description']} {entry.use}"
    arguments = " ".join([*operation.parameters, *_enumerated(tool.parameters)])
    return names, operation.declared["summary"], entry.words, text, arguments


def _enumerated(schema: Any) -> Iterator[str]:
    """Yield the values that arguments are limited to."""
    if isinstance(schema, dict):
        yield from map(str, schema.get("enum", ()))
        schema = list(schema.values())
    for part in schema if isinstance(schema, list) else ():
        yield from _enumerated(part)
