"""A router that can be asked quickly whether a path is any of its routes'."""

import re
from functools import cached_property

from fastapi import APIRouter
from fastapi.routing import iter_route_contexts
from starlette.routing import Match
from starlette.types import Scope

_NAME = re.compile(r"\?P<\w+>")


class QuickRouter(APIRouter):
    """Says at one look that a path is none of its own.

    An application asks its routers in turn, and a router its routes: for the last of a hundred
    routes that took longer than looking its caller up.
    """

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Return whether a route fits a request."""
        if self._endings.search(scope["path"]) is None:
            return Match.NONE, {}
        return super().matches(scope)

    @cached_property
    def _endings(self) -> re.Pattern[str]:
        """How the paths of all routes end: what this router is included below comes before."""
        patterns = (context.path_regex.pattern for context in iter_route_contexts(self.routes))
        return re.compile("|".join(_NAME.sub("?:", each.removeprefix("^")) for each in patterns))
