"""Nobody but the owner reads what a process makes. Apart, so that commands start quickly."""

import os

UMASK = 0o077


def be_private() -> None:
    """Let nobody else read what this process and its children make from now on."""
    os.umask(UMASK)
