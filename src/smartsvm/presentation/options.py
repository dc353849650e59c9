"""Options in sentences, as their reader writes them: in Python, or on the command line."""

import shlex
from contextlib import contextmanager
from contextvars import ContextVar

_IN_SHELL = ContextVar("in_shell", default=False)


_COMMAND = ContextVar("command", default=None)


@contextmanager
def read_in_shell(arguments=None):
    """Within it, sentences are for the command line, whose arguments may be given."""
    command = None if arguments is None else shlex.join(["smartsvm", *arguments])
    tokens = _IN_SHELL.set(True), _COMMAND.set(command)
    try:
        yield
    finally:
        _IN_SHELL.reset(tokens[0])
        _COMMAND.reset(tokens[1])


def command_line():
    """The command that is run, None in Python."""
    return _COMMAND.get()


def spelled(python, shell):
    """The one of two spellings that the reader can use."""
    return shell if _IN_SHELL.get() else python


def option(name, value=None):
    """How to set an option: `groups="patient"` or `--groups patient`; None stands for any value."""
    if value is None:
        return spelled(f"{name}=...", f"--{name} NAME")
    return spelled(f"{name}={_quoted(value)}", f"--{name} {shlex.quote(str(value))}")


def _quoted(value):
    """A value as Python has it; a text in double quotes, since sentences have apostrophes."""
    text = repr(value)
    return f'"{text[1:-1]}"' if text[0] == "'" and '"' not in text else text
