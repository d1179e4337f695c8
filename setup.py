"""What the package needs: the pins of requirements.txt, without their hashes (`make lock`)."""

import re
from pathlib import Path

from setuptools import setup

LOCKED = Path(__file__).with_name("requirements.txt").read_text(encoding="utf-8")
PINS = re.findall(r"^(\w\S*==[^\\\n]+?) \\$", LOCKED, flags=re.MULTILINE)

setup(install_requires=PINS)
