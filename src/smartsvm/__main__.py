"""The command line: ``python -m smartsvm`` or ``smartsvm``."""

import argparse
import os
import sys
import warnings

import smartsvm
from smartsvm.commands.start_up import quiet_imports
from smartsvm.presentation.display_names import one_line
from smartsvm.presentation.options import read_in_shell
from smartsvm.presentation.progress import say

with quiet_imports():
    from smartsvm.commands.compare import add_compare, run_compare
    from smartsvm.commands.gate import FAILED
    from smartsvm.commands.report import EXIT_CODES, add_report, run_report

# Errors that files, options and the machine can cause; any other is a bug.
_EXPECTED = (ArithmeticError, ImportError, MemoryError, OSError, TypeError, ValueError)


def _parser():
    parser = argparse.ArgumentParser(
        prog="smartsvm",
        description="Report how hard a classification problem is, before you build a model for it.",
        epilog=EXIT_CODES,
    )
    parser.add_argument("--version", action="version", version=f"smartsvm {smartsvm.__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    add_report(commands)
    add_compare(commands)
    demo = commands.add_parser(
        "demo", help="run a report and classifiers on scikit-learn's digits, with figures"
    )
    demo.add_argument(
        "--out", default="demo-output", metavar="FOLDER", help="folder of the figures (%(default)s)"
    )
    return parser


def main(arguments=None):
    """Run the command line and return its exit code.

    Parameters
    ----------
    arguments : list of str, default=None
        The arguments after the program's name; ``sys.argv[1:]`` by default.

    Returns
    -------
    int
        0 for success, 1 if a file cannot be read or written, 2 for a wrong command line,
        3 if a condition such as ``--fail-unless`` does not hold, 130 if interrupted,
        141 if standard output was closed.
    """
    try:
        options = _parser().parse_args(arguments)
        if sys.stdout is None:
            raise OSError("standard output is closed: name a file for it, or /dev/null")
        given = sys.argv[1:] if arguments is None else arguments
        with warnings.catch_warnings(), read_in_shell(given):
            warnings.showwarning = _show_warning
            failure = _run(options)
        if sys.stdout is not None:
            sys.stdout.flush()  # a closed pipe raises here, not on exit
    except BrokenPipeError:
        # Discard the rest of the buffer, or the interpreter complains on exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141  # as shells report programs that SIGPIPE ends
    except _EXPECTED as error:
        say(f"smartsvm: {one_line(_words(error))}")
        return 1
    except KeyboardInterrupt:
        say("smartsvm: interrupted")
        return 130
    if failure is not None:
        say(f"smartsvm: failed: {one_line(failure)}")
        return FAILED
    return 0


def _run(options):
    """Run a command; return why a condition of the user's fails, or None."""
    if options.command == "report":
        return run_report(options)
    if options.command == "compare":
        return run_compare(options)
    from smartsvm.commands import demo as demo_job  # slow to import

    demo_job.run(options.out)
    return None


def _show_warning(message, *_, **__):
    say(f"smartsvm: {one_line(message)}")


def _words(error):
    """The message of an error, without the operating system's error number."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error) or type(error).__name__


if __name__ == "__main__":
    sys.exit(main())
