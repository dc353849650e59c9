"""Translate many Cython files in one process: starting the compiler takes longer than most files.

Called by Meson as ``cython_files.py DEPFILE FOLDER OPTION... -- FILE...``: writes the C files into
the folder, and what they were made from into the depfile. A C file stays as it is, so that it
need not be compiled again, if nothing that it was made from is newer.
"""

import sys
from pathlib import Path

import Cython


def main():
    depfile, folder, *rest = sys.argv[1:]
    place = rest.index("--")
    options, sources = rest[:place], rest[place + 1 :]
    c_files = [Path(folder) / Path(source).with_suffix(".c").name for source in sources]
    made_by = Path(depfile).with_suffix(".options")
    command = "\n".join([Cython.__version__, *options])
    same = made_by.exists() and made_by.read_text() == command
    stale = [
        source
        for source, c_file in zip(sources, c_files, strict=True)
        if not (same and is_fresh(c_file))
    ]
    if stale:
        translate(stale, folder, options)
    made_by.write_text(command)
    needed = sorted({path for c_file in c_files for path in made_from(c_file)})
    Path(depfile).write_text(f"{c_files[0]}: " + " \\\n  ".join(needed) + "\n")


def translate(sources, folder, options):
    """Ends the process if there is an error; Cython then leaves a C file and no list for it."""
    from Cython.Compiler.Main import main as cython

    for source in sources:
        list_for(Path(folder) / Path(source).with_suffix(".c").name).unlink(missing_ok=True)
    sys.argv = ["cython", "-M", "--fast-fail", *options, "-o", folder, *sources]
    cython(command_line=1)


def list_for(c_file):
    """Where Cython lists what a C file was made from (option -M)."""
    return c_file.with_name(c_file.name + ".dep")


def made_from(c_file):
    _, _, paths = list_for(c_file).read_text().partition(": ")
    return paths.replace("\\\n", " ").split()


def is_fresh(c_file):
    if not c_file.exists() or not list_for(c_file).exists():
        return False
    made = c_file.stat().st_mtime_ns
    paths = map(Path, made_from(c_file))
    return all(path.exists() and path.stat().st_mtime_ns <= made for path in paths)


if __name__ == "__main__":
    main()
