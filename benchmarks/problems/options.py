"""The option `--families` of the commands that run on the problems."""

from __future__ import annotations

import argparse

from . import ALL, ROLES, families


def add_families_option(parser, default="evaluation"):
    """Add `--families`: roles, names or "all"; the result is a list of names, each once.

    Without the option it is the families of the role `default`, or None if that is None.
    """
    parser.add_argument(
        "--families",
        nargs="+",
        action=_Families,
        default=default and families(default),
        metavar="NAME",
        help=f"all, {', '.join(ROLES)}, or names (default: {default})",
    )


class _Families(argparse.Action):
    def __call__(self, parser, namespace, values, option_string=None):
        chosen = {}
        for value in values:
            if value in ALL:
                chosen[value] = None
            elif value in (*ROLES, "all"):
                chosen.update(dict.fromkeys(families(value)))
            else:
                raise argparse.ArgumentError(
                    self,
                    f"must be all, {', '.join(ROLES)} or names of benchmarks.problems.ALL, "
                    f"got {value!r}",
                )
        setattr(namespace, self.dest, list(chosen))
