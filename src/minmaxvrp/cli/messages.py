"""What users see when something is wrong: one line on stderr and an exit code, no traceback.

Wraps every command: errors raised on purpose, misuse of the command line, warnings about files.
"""

import os
import sys
import traceback
import warnings
from collections.abc import Sequence
from typing import Any

import typer
from typer.core import TyperGroup

from ..errors import InputError, MinmaxvrpError

INTERNAL = 1
NETWORK_PACKAGES = ("torch", "safetensors")
"""What the extra `policy` brings."""


def say(text: str) -> None:
    """Write one line to stderr, for people; stdout is for results."""
    sys.stderr.write(" ".join(text.split("\n")) + "\n")
    sys.stderr.flush()


class Commands(TyperGroup):
    """The group of all commands, with one place where errors become messages."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Accept `--debug` after the command too."""
        own = args[: args.index("--")] if "--" in args else args
        if "--debug" in own[1:]:
            args = ["--debug", *(a for a in own if a != "--debug"), *args[len(own) :]]
        return super().parse_args(ctx, args)

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run a command and leave with its exit code: 0, 2 bad input, 3 infeasible, 1 our fault."""
        given = list(sys.argv[1:] if args is None else args)
        with warnings.catch_warnings():
            _show_warnings()
            try:
                code = super().main(given, prog_name, complete_var, False, windows_expand_args, **extra)
                sys.stdout.flush()
            except Exception as error:
                code = _report(error, debug="--debug" in given)
        if not standalone_mode:
            return code
        sys.exit(code if isinstance(code, int) else 0)


def _show_warnings() -> None:
    """Show a `FormatWarning` as one line each time; leave other warnings as they are."""
    plain = warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
        if category.__name__ == "FormatWarning":
            say(f"warning: {message}")
        else:
            plain(message, category, *place, **more)

    warnings.showwarning = show
    warnings.filterwarnings("always", category=UserWarning, module=r"minmaxvrp\.")


def _report(error: Exception, debug: bool) -> int:
    """Print an error the way its kind deserves; returns the exit code."""
    if debug and not isinstance(error, typer.TyperException):
        traceback.print_exception(error)
    if isinstance(error, BrokenPipeError):  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return INTERNAL
    if isinstance(error, MinmaxvrpError):
        say(f"error: {error}")
        return error.exit_code
    if isinstance(error, typer.TyperException):
        return _report_misuse(error)
    if isinstance(error, ModuleNotFoundError) and error.name in NETWORK_PACKAGES:
        say(f"error: {error.name} is not installed, expected pip install 'minmaxvrp[policy]'")
        return InputError.exit_code
    if isinstance(error, MemoryError):
        say("error: not enough memory")
    else:
        say(f"error: {type(error).__name__}: {error} (a fault of minmaxvrp; --debug shows where)")
    return INTERNAL


def _report_misuse(error: Any) -> int:
    """An unknown command or option, or a value of the wrong kind, with what would be right."""
    context = getattr(error, "ctx", None)
    text = error.format_message().rstrip(".")
    if hasattr(error.__cause__, "errors"):  # from pydantic, which knows the value that did not fit
        got = repr(error.__cause__.errors()[0].get("input"))
        text = text.replace("Value error, ", "") if got in text else f"{text.partition(',')[0]}, got {got}"
    if context is None:
        say(f"error: {text}")
        return 2
    if getattr(error, "option_name", None) and "such option" in text.lower():
        known = sorted(max(p.opts, key=len) for p in context.command.params if p.opts[0].startswith("-"))
        text += f", expected one of {', '.join(known)}"
    elif isinstance(context.command, TyperGroup) and "such command" in text.lower():
        text += f", expected one of {', '.join(context.command.commands)}"
    if type(error).__name__ == "NoArgsIsHelpError":
        sys.stderr.write(text + "\n")
    else:
        say(f"error: {text} (see {context.command_path} --help)")
    return int(getattr(error, "exit_code", 2))
