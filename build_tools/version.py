#!/usr/bin/env python3
"""Print the version, which `smartsvm/_core/version.py` holds."""

import re
from pathlib import Path

source = Path(__file__).parents[1] / "src" / "smartsvm" / "_core" / "version.py"
print(re.search(r'^__version__ = "(.+)"$', source.read_text(encoding="utf-8"), re.MULTILINE)[1])
