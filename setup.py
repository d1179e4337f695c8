"""What the package needs: the pins of requirements.txt, without their hashes (`make lock`).

A build renders the models' SQL first, with dbt of the same version.
"""

import re
import runpy
from importlib.util import find_spec
from pathlib import Path

from setuptools import setup

LOCKED = Path(__file__).with_name("requirements.txt").read_text(encoding="utf-8")
PINS = re.findall(r"^(\w\S*==[^\\\n]+?) \\$", LOCKED, flags=re.MULTILINE)

RENDERERS = [pin for pin in PINS if re.match(r"(dbt-core|dbt-duckdb|duckdb)==", pin)]

if find_spec("dbt"):
    rendering = Path(__file__).with_name("orchestration") / "building" / "rendering.py"
    runpy.run_path(str(rendering))["read_project"]()

setup(install_requires=PINS, setup_requires=RENDERERS)
