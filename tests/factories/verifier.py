"""The stand-alone statement verifier that creators receive: one file without our packages."""

import importlib.util
from pathlib import Path
from types import ModuleType

VERIFIER = Path(__file__).parents[2] / "docs" / "statements" / "verify.py"


def load_verifier() -> ModuleType:
    """Import the file as a module."""
    spec = importlib.util.spec_from_file_location("verify", VERIFIER)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
