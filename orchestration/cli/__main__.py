"""`python -m orchestration.cli`: the same command, for child processes."""

import sys

try:
    from orchestration.cli.app import main
except ModuleNotFoundError as missing:
    sys.exit(f"tracker: {sys.executable} has no module {missing.name}. Use .venv/bin/tracker.")

if __name__ == "__main__":  # the API's workers import this module again
    main()
