"""`python -m orchestration.cli`: the same command, for processes that start one another."""

from orchestration.cli.app import main

main()
