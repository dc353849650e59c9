"""Completion scripts offer what the command line takes."""

import shutil
import subprocess

import pytest

from smartsvm.__main__ import main


def script(shell, capsys):
    assert main(["completion", shell]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["smartsvm", "re"], ["report"]),
        (["smartsvm", "report", "--sca"], ["--scale"]),
        (["smartsvm", "report", "--scale", ""], ["standard", "minmax", "none"]),
        (["smartsvm", "completion", ""], ["--help", "bash", "zsh", "fish"]),
    ],
)
def test_bash_offers(words, offered, capsys):
    line = " ".join(f"'{word}'" for word in words)
    asked = (
        f"{script('bash', capsys)}\nCOMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _smartsvm; "
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(["bash", "-c", asked], capture_output=True, text=True, check=True)
    assert done.stdout.split() == offered


def test_zsh_loads_the_same_script(capsys):
    bash = script("bash", capsys)
    assert script("zsh", capsys).endswith(bash)


def test_fish_has_a_line_for_every_option(capsys):
    lines = script("fish", capsys).splitlines()
    assert any("-l target-accuracy -r" in line for line in lines)
    assert any("-l missing -x -a 'refuse drop'" in line for line in lines)
    assert not any("%(" in line for line in lines)
    if shutil.which("fish"):
        subprocess.run(["fish", "-n"], input="\n".join(lines), text=True, check=True)
