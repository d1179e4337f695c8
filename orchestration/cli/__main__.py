"""`python -m orchestration.cli`: the same command, for child processes."""

from orchestration.cli.app import main

if __name__ == "__main__":  # the API's workers import this module again
    main()
