"""Print the Python files of the package, relative to its folder."""

from pathlib import Path

package = Path(__file__).parents[1] / "src" / "smartsvm"
for path in sorted(package.rglob("*.py")):
    print(path.relative_to(package).as_posix())
