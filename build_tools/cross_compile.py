"""Compile every C file for Windows and macOS on Linux, and name those that do not compile.

Meson configures a build for this machine and Cython translates its files. Each command of that
build is then repeated with the compiler of the package ziglang, which has the headers of MinGW and
macOS. Python's headers are the same files on all systems, except `pyconfig.h`: a short one is
written for each target. Nothing is linked or run; the workflow does that on the systems themselves.

Called as ``cross_compile.py BUILD_FOLDER``; exits with 1 if a file does not compile.
"""

import json
import os
import platform
import shlex
import shutil
import subprocess
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]

# What Python's headers ask about a system. Sizes are in bytes.
_ANY_SYSTEM = """
#define STDC_HEADERS 1
#define HAVE_ERRNO_H 1
#define HAVE_STDDEF_H 1
#define HAVE_STDINT_H 1
#define HAVE_STDLIB_H 1
#define HAVE_STRING_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_SYS_STAT_H 1
#define HAVE_WCHAR_H 1
#define HAVE_PROTOTYPES 1
#define DOUBLE_IS_LITTLE_ENDIAN_IEEE754 1
#define SIZEOF_SHORT 2
#define SIZEOF_INT 4
#define SIZEOF_LONG_LONG 8
#define SIZEOF_VOID_P 8
#define SIZEOF_SIZE_T 8
#define SIZEOF_TIME_T 8
#define SIZEOF_FLOAT 4
#define SIZEOF_DOUBLE 8
#define SIZEOF_FPOS_T 8
#define WITH_DOC_STRINGS 1
"""
_WINDOWS = """
#define MS_WINDOWS 1
#define MS_WIN32 1
#define MS_WIN64 1
#define NT_THREADS 1
#define Py_ENABLE_SHARED 1
#define HAVE_DECLSPEC_DLL 1
#define HAVE_IO_H 1
#define SIZEOF_LONG 4
#define SIZEOF_WCHAR_T 2
#define SIZEOF_OFF_T 4
#define SIZEOF_PID_T 4
#define PLATLIBDIR "lib"
"""
_MACOS = """
#define HAVE_UNISTD_H 1
#define HAVE_PTHREAD_H 1
#define HAVE_SYS_TIME_H 1
#define HAVE_SYS_SELECT_H 1
#define HAVE_SSIZE_T 1
#define HAVE_CLOCK_GETTIME 1
#define _POSIX_THREADS 1
#define SIZEOF_LONG 8
#define SIZEOF_WCHAR_T 4
#define SIZEOF_OFF_T 8
#define SIZEOF_PID_T 4
#define SIZEOF_PTHREAD_T 8
#define SIZEOF_PTHREAD_KEY_T 8
"""


class Target(NamedTuple):
    """A system and processor to compile for."""

    name: str
    triple: str  # as `zig cc -target` spells it
    pyconfig: str

    @property
    def is_x86(self):
        return self.triple.startswith("x86_64")


TARGETS = [
    Target("Windows x86-64 (MinGW)", "x86_64-windows-gnu", _WINDOWS),
    Target("macOS x86-64", "x86_64-macos", _MACOS),
    Target("macOS arm64", "aarch64-macos", _MACOS),
]


def all_targets():
    """Every target; with headers of Python 3.13 or newer also for free-threaded Python."""
    if sys.version_info < (3, 13):
        return TARGETS
    free_threaded = [
        Target(f"{name}, free-threaded", triple, pyconfig + "#define Py_GIL_DISABLED 1\n")
        for name, triple, pyconfig in TARGETS
    ]
    return TARGETS + free_threaded


def prepare(build):
    """Configure a build for this machine and translate its Cython files; return its commands."""
    again = ["--reconfigure"] if (build / "build.ninja").exists() else []
    configure = ["meson", "setup", *again, build, ROOT]
    subprocess.run(configure, check=True, stdout=subprocess.DEVNULL)
    commands = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    generated = sorted({each["file"] for each in commands if not each["file"].startswith("..")})
    subprocess.run(["ninja", "-C", build, *generated], check=True, stdout=subprocess.DEVNULL)
    return commands


def python_headers(target, folder):
    """Copy Python's headers into a folder, with the `pyconfig.h` of a target."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(sysconfig.get_path("include"), folder)
    (folder / "pyconfig.h").write_text(_ANY_SYSTEM + target.pyconfig, encoding="utf-8")


def zig(target):
    """The compiler for a target. Zig adds a sanitizer to code that is not optimised."""
    return [sys.executable, "-m", "ziglang", "cc", "-target", target.triple, "-fno-sanitize=all"]


def cross_arguments(command, target, headers):
    """Arguments for a target, without an output; None for loops that its processor lacks."""
    words = shlex.split(command)
    words = words[next(i for i, word in enumerate(words) if word.startswith("-")) :]
    vector_flags = [word for word in words if word.startswith("-mavx")]
    if vector_flags and not target.is_x86:
        return None
    kept, skip = [], False
    for word in words:
        if skip:
            skip = False
        elif word in ("-MQ", "-MF", "-o"):
            skip = True
        elif word == f"-I{sysconfig.get_path('include')}":
            kept.append(f"-I{headers}")
        elif word not in ("-MD", "-fPIC", "-fdiagnostics-color=always") and (
            target.is_x86 or word != "-DSMARTSVM_AVX"
        ):
            kept.append(word)
    # Whether a file compiles does not depend on optimisation, which takes minutes.
    return ["-Werror=incompatible-pointer-types", *kept, "-O0"]


def compile_for(target, commands, build, compiler=zig):
    """Compile all files for a target; return how many there are and the messages of failures."""
    headers = build.resolve() / f"headers-{target.name.replace(' ', '-')}"
    python_headers(target, headers)

    def run(each):
        arguments = cross_arguments(each["command"], target, headers)
        if arguments is None:
            return None
        command = [*compiler(target), *arguments, "-o", os.devnull]
        done = subprocess.run(command, cwd=each["directory"], capture_output=True, text=True)
        return each["output"], done.returncode, done.stderr

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = [result for result in pool.map(run, commands) if result is not None]
    return len(results), [(name, message) for name, code, message in results if code]


def main(build):
    build = Path(build)
    commands = prepare(build)
    if platform.machine() not in ("x86_64", "AMD64"):
        print("The AVX loops are left out: run this on x86-64 to compile them, too.")
    failed = False
    for target in all_targets():
        n_files, failures = compile_for(target, commands, build)
        print(f"{target.name}: {n_files - len(failures)} of {n_files} files compile", flush=True)
        for name, message in failures:
            failed = True
            print(f"  does not compile: {name}\n{message}")
    return failed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
