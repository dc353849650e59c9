"""A sentence names the option that its reader can write."""

import threading

import pytest

from smartsvm.presentation.options import option, read_in_shell, spelled


@pytest.mark.parametrize(
    ("value", "python", "shell"),
    [
        (None, "groups=...", "--groups NAME"),
        ("patient", 'groups="patient"', "--groups patient"),
        ("the state", 'groups="the state"', "--groups 'the state'"),
        ('6" pipe', "groups='6\" pipe'", "--groups '6\" pipe'"),
        ("o'clock", 'groups="o\'clock"', "--groups 'o'\"'\"'clock'"),
        (3, "groups=3", "--groups 3"),
    ],
)
def test_options_are_spelled_for_their_reader(value, python, shell):
    assert option("groups", value) == python
    with read_in_shell():
        assert option("groups", value) == shell
    assert option("groups", value) == python


def test_other_threads_and_later_sentences_are_those_of_python():
    seen = []
    thread = threading.Thread(target=lambda: seen.append(spelled("python", "shell")))
    with read_in_shell():
        thread.start()
        thread.join()
    assert seen == ["python"]
    assert spelled("python", "shell") == "python"
