"""The command line: ``python -m smartsvm`` or ``smartsvm``."""

from __future__ import annotations

import argparse
import os
import sys

import smartsvm
from smartsvm._core.display_names import one_line
from smartsvm._core.progress import say
from smartsvm._core.start_up import quiet_imports

with quiet_imports():
    from smartsvm.commands.compare import add_compare, run_compare
    from smartsvm.commands.completion import add_completion, completion_script
    from smartsvm.commands.report import EXIT_CODES, add_report, run_report

# Errors that files, options and the machine can cause; anything else is a bug.
_EXPECTED = (ArithmeticError, ImportError, MemoryError, OSError, TypeError, ValueError)


def _parser():
    parser = argparse.ArgumentParser(
        prog="smartsvm",
        description="How hard is a classification problem, before anything is trained?",
        epilog=EXIT_CODES,
    )
    parser.add_argument("--version", action="version", version=f"smartsvm {smartsvm.__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    add_report(commands)
    add_compare(commands)
    demo = commands.add_parser(
        "demo", help="the main job on scikit-learn's built-in digits, with pictures"
    )
    demo.add_argument(
        "--out", default="demo-output", metavar="FOLDER", help="where the pictures go (%(default)s)"
    )
    add_completion(commands)
    return parser


def main(arguments=None):
    """Run the command line and return its exit code.

    Parameters
    ----------
    arguments : list of str, default=None
        What follows the name of the program; the process's own by default.

    Returns
    -------
    int
        0 for success; 2 for a wrong command line, as argparse gives it; 1 if a file
        cannot be used or something cannot be drawn or written; 130 if interrupted; 141 if
        whatever read the output has gone.
    """
    try:
        parser = _parser()
        options = parser.parse_args(arguments)
        if options.command == "report":
            run_report(options)
        elif options.command == "compare":
            run_compare(options)
        elif options.command == "completion":
            print(completion_script(parser, options.shell), end="")
        else:
            from smartsvm.commands import demo as demo_job  # slow to import

            demo_job.run(options.out)
        if sys.stdout is not None:
            sys.stdout.flush()  # here, where a closed pipe is noticed
    except BrokenPipeError:
        # What is left in the buffer is discarded, or the interpreter would complain on exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141  # what a shell reports for programs ended by that signal
    except _EXPECTED as error:
        say(f"smartsvm: {one_line(_words(error))}")
        return 1
    except KeyboardInterrupt:
        say("smartsvm: interrupted")
        return 130
    return 0


def _words(error):
    """What an error says, without the numbers of the operating system."""
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror}"
    return error


if __name__ == "__main__":
    sys.exit(main())
