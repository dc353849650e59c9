"""Print the Python and data files of the package; write a dependency file for Meson.

The dependency is git's index, which changes when files are added, pulled or checked out: Meson then
configures again.
"""

import subprocess
import sys
from pathlib import Path

root = Path(__file__).resolve().parents[1]
package = root / "src" / "smartsvm"
for file in sorted([*package.rglob("*.py"), *package.rglob("*.json")]):
    print(file.relative_to(package).as_posix())
for dependencies in sys.argv[1:]:
    try:
        asked = ["git", "rev-parse", "--git-path", "index"]
        index = root / subprocess.check_output(asked, cwd=root, text=True).strip()
    except (OSError, subprocess.CalledProcessError):
        index = ""  # in a source distribution no file is new
    Path(dependencies).write_text(f"python_files.txt: {str(index).replace(' ', chr(92) + ' ')}\n")
