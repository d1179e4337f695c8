"""A group that lists commands by their docstrings and imports only the one that runs.

Importing all commands takes seconds; docstrings are read from their compiled modules.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from inspect import cleandoc
from types import CodeType
from typing import Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup

from warehouse.loading import loading

SETTINGS: dict[str, Any] = {
    "no_args_is_help": True,
    "add_completion": False,
    "pretty_exceptions_enable": False,
    "rich_markup_mode": "markdown",
}
"""Settings of every Typer group and command."""


class Commands(TyperGroup):
    """A group whose `modules` name its commands as `module:function` of this package.

    A nested group is a class; its docstring is its help.
    """

    modules: ClassVar[Mapping[str, "str | type[Commands]"]]
    options: ClassVar[Callable[..., None] | None] = None
    """A function whose parameters are options of the group itself."""
    headings: ClassVar[Mapping[str, str]] = {}
    """Names of commands, separated by spaces, by their heading in `--help`."""

    def __init__(self, **attributes: Any) -> None:
        panels = {name: text for text, names in self.headings.items() for name in names.split()}
        listed = [
            TyperCommand(name, help=_help(where), rich_help_panel=panels.get(name))
            for name, where in self.modules.items()
        ]
        super().__init__(**{**attributes, "commands": listed})

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """Resolve the command's name, and import the command in place of its listing."""
        name, listed, rest = super().resolve_command(ctx, args)
        return name, listed and self.loaded(str(listed.name)), rest

    def loaded(self, name: str) -> Any:
        """Import and return a command, or return the nested group of that name."""
        where = self.modules[name]
        if not isinstance(where, str):
            group = typer.Typer(**SETTINGS, cls=where, name=name, help=_help(where))
            if where.options:
                group.callback()(where.options)
            return typer.main.get_group(group)
        module_name, function = _parts(where)
        app = typer.Typer(**SETTINGS | {"no_args_is_help": False})
        with loading():
            module = import_module(module_name)
        app.command(name)(getattr(module, function))
        return typer.main.get_command(app)


def _help(where: str | type[Commands]) -> str:
    """Return a group's docstring, or a function's from its module's code."""
    if not isinstance(where, str):
        return where.__doc__ or ""
    module_name, function = _parts(where)
    spec = find_spec(module_name)
    module = spec.loader.get_code(module_name)  # type: ignore[union-attr]
    code = next(
        constant
        for constant in module.co_consts
        if isinstance(constant, CodeType) and constant.co_name == function
    )
    return cleandoc(code.co_consts[0] or "")


def _parts(where: str) -> tuple[str, str]:
    module, function = where.split(":")
    return f"{__package__}.{module}", function
