"""``smartsvm completion``: what a shell needs to complete commands, options and their choices."""

from __future__ import annotations

import argparse
import shlex

SHELLS = ("bash", "zsh", "fish")


def add_completion(commands):
    """Add the command to a set of argparse subcommands."""
    parser = commands.add_parser(
        "completion",
        help="print a completion script for a shell",
        description=(
            'bash: eval "$(smartsvm completion bash)" in ~/.bashrc; zsh: the same with zsh in '
            "~/.zshrc; fish: smartsvm completion fish > ~/.config/fish/completions/smartsvm.fish"
        ),
    )
    parser.add_argument("shell", choices=SHELLS)


def completion_script(parser, shell):
    """The script for a shell.

    Parameters
    ----------
    parser : argparse.ArgumentParser
        The whole command line.
    shell : {"bash", "zsh", "fish"}
        For which shell.

    Returns
    -------
    str
        To be evaluated by the shell.
    """
    commands = _commands(parser)
    if shell == "fish":
        return _fish(parser.prog, commands)
    script = _bash(parser.prog, commands)
    if shell == "zsh":
        # What bashcompinit defines needs what compinit does, which not every ~/.zshrc loads.
        load = "(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }\n"
        return load + "autoload -Uz +X bashcompinit && bashcompinit\n" + script
    return script


def _commands(parser):
    """For each subcommand its help, its options with help and choices, and those of arguments."""
    (subparsers,) = (a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    helps = {action.dest: action.help for action in subparsers._choices_actions}
    found = {}
    for name, command in subparsers.choices.items():
        options, words = {}, []
        for action in command._actions:
            if action.option_strings:
                options[action.option_strings[-1]] = action
            else:
                words += [str(choice) for choice in action.choices or ()]
        found[name] = helps.get(name, ""), options, words
    return found


def _bash(program, commands):
    cases = []
    for name, (_, options, words) in commands.items():
        after = [
            f'      {option}) COMPREPLY=($(compgen -W "{" ".join(action.choices)}" -- "$word")); '
            "return ;;"
            for option, action in options.items()
            if action.choices
        ]
        offered = " ".join([*options, *words])
        cases.append(
            f"  {name})\n"
            + ('    case "$before" in\n' + "\n".join(after) + "\n    esac\n" if after else "")
            + f'    COMPREPLY=($(compgen -W "{offered}" -- "$word")) ;;'
        )
    return (
        f"_{program}() {{\n"
        '  local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}"\n'
        '  if [ "$COMP_CWORD" -eq 1 ]; then\n'
        f'    COMPREPLY=($(compgen -W "{" ".join(commands)} --help --version" -- "$word")); '
        "return\n"
        "  fi\n"
        '  case "${COMP_WORDS[1]}" in\n' + "\n".join(cases) + "\n  esac\n"
        "}\n"
        f"complete -o default -F _{program} {program}\n"
    )


def _fish(program, commands):
    lines = []
    for name, (description, options, words) in commands.items():
        lines.append(
            f"complete -c {program} -n __fish_use_subcommand -f -a {name} "
            f"-d {shlex.quote(description)}"
        )
        chosen = shlex.quote(f"__fish_seen_subcommand_from {name}")
        for option, action in options.items():
            takes = "" if action.nargs == 0 else " -r"
            if action.choices:
                takes = f" -x -a {shlex.quote(' '.join(action.choices))}"
            lines.append(
                f"complete -c {program} -n {chosen} -l {option.removeprefix('--')}{takes} "
                f"-d {shlex.quote(_help(action))}"
            )
        if words:
            lines.append(f"complete -c {program} -n {chosen} -f -a {shlex.quote(' '.join(words))}")
    return "\n".join(lines) + "\n"


def _help(action):
    return (action.help or "").replace("%(default)s", str(action.default)).replace("%%", "%")
