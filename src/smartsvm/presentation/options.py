"""Options in sentences, as their reader writes them: in Python, or on the command line."""

import shlex
from contextlib import contextmanager
from contextvars import ContextVar

from smartsvm.presentation.display_names import shown

_IN_SHELL = ContextVar("in_shell", default=False)


_COMMAND = ContextVar("command", default=None)


@contextmanager
def read_in_shell(arguments=None):
    """Within it, sentences are for the command line, whose arguments may be given."""
    command = None if arguments is None else " ".join(map(in_shell, ["smartsvm", *arguments]))
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
    return spelled(f"{name}={_quoted(value)}", f"--{name} {in_shell(value)}")


def in_shell(value):
    """A word as it is typed into a shell, with escapes for invisible characters."""
    word = str(value)
    if shown(word) == word:
        return shlex.quote(word)
    return "$'" + "".join(map(_in_dollar_quotes, word)) + "'"  # of bash and zsh


def _in_dollar_quotes(char):
    if char in "\\'":
        return "\\" + char
    if shown(char) == char:
        return char
    return f"\\x{ord(char):02x}" if char.isascii() else f"\\U{ord(char):08x}"


def _quoted(value):
    """A value as Python has it; a text in double quotes, since sentences have apostrophes."""
    text = repr(value)
    return f'"{text[1:-1]}"' if text[0] == "'" and '"' not in text else text
