"""The command line: parse, call the library, show. Starting is quick, heavy imports wait for a command.

What a machine reads goes to standard output, and only when asked for; everything else to standard error.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from typing import Any

from everytree.errors import EverytreeError
from everytree.support.garbage import collected_late
from everytree.support.imports import put_off

__all__ = ["Interrupted", "NotMet", "main"]

DONE, NOT_MET, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130
"""Exit codes."""

SELDOM_USED = (
    "scipy.stats",
    "scipy.special",
    "scipy._lib.array_api_compat.numpy",
    "sklearn.neighbors",
    "sklearn.externals.array_api_extra",
    "numpy.f2py",
    "numpy.testing",
    "asyncio",
    "pydoc",
    "yaml",
)
"""What scikit-learn, scipy, joblib and numba import and few commands call: a third of a short one."""

NEEDED_ALONE = (
    "sklearn.neighbors._quad_tree",
    "scipy.special.cython_special",
    "scipy.special._ufuncs",
    "scipy.special._ufuncs_cxx",
    "scipy.special._special_ufuncs",
    "scipy.special._gufuncs",
    "scipy.special._ellip_harm_2",
)
"""What scikit-learn's trees need of some of them."""


class Interrupted(Exception):  # noqa: N818 (it is none of our errors)
    """A command was interrupted and has something to say about what it leaves behind."""


class NotMet(Exception):  # noqa: N818 (it is none of our errors)
    """A command did what it was asked to do, and found less than was required."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        What follows the name of the program; by default what it was called with.

    Returns
    -------
    int
        0 done, 1 a requirement is not met or the pipe is broken, 2 bad input (one message on standard
        error), 130 interrupted.
    """
    alone = arguments is None  # and not called by a program that has plans of its own
    if alone:
        put_off(SELDOM_USED, NEEDED_ALONE)
    with collected_late():
        code = _run(arguments)
    if alone:
        gc.disable()  # the program is at its end, and all that it holds goes with it
    return code


def _run(arguments: Sequence[str] | None) -> int:
    import typer

    from everytree.cli.app import app

    command = typer.main.get_command(app)
    try:
        code = command.main(
            None if arguments is None else list(arguments), prog_name="everytree", standalone_mode=False
        )
    except EverytreeError as error:
        return _refuse(str(error))
    except NotMet as finding:
        print(f"Not met: {finding}", file=sys.stderr)
        return NOT_MET
    except Interrupted as stop:
        print(stop, file=sys.stderr)
        return INTERRUPTED
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except SystemExit as ended:  # how typer ends when nobody reads the output any more
        code = ended.code
    except Exception as error:
        # A wrong option or argument. Its class depends on the version of typer, its methods do not.
        words = getattr(error, "format_message", None)
        if words is None:
            raise
        given = sys.argv[1:] if arguments is None else arguments
        return _refuse(f"{words()}{_what_it_is(error)}\n{_where_to_look(error, given, command)}")
    if code == INTERRUPTED:
        print("Interrupted; nothing was written.", file=sys.stderr)
    return code if isinstance(code, int) else DONE


def _refuse(message: str) -> int:
    print(f"Error: {message}", file=sys.stderr)
    return BAD_INPUT


def _what_it_is(error: Exception) -> str:
    """What an argument or option is for that was left out; its own help says it."""
    missing = type(error).__name__ == "MissingParameter"
    words = getattr(getattr(error, "param", None), "help", None)
    return f" {words}" if missing and words else ""


def _where_to_look(error: Exception, given: Sequence[str], program: Any) -> str:
    context = getattr(error, "ctx", None)
    if context is not None:
        return f"See '{context.command_path} --help'."
    verb = next((f" {word}" for word in given if word in getattr(program, "commands", ())), "")
    return f"See 'everytree{verb} --help'."
