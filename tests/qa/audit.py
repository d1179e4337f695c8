"""`make audit` compares the pinned versions with published advisories, using pip-audit.

pip-audit 2.10.1 reports "No known vulnerabilities found" and exits with 0 even if the index has no
advisory data. So this counts the audited versions in its report. Exits with 1 for an advisory; if
the data is unreachable, it says so and exits with 0.
"""

import json
import subprocess
import sys
import venv
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.doses import REPOSITORY

VERSION = "2.10.1"
SERVICES = ("pypi", "osv")
"""Services that pip-audit queries; the second is used if the first has no data."""
SECONDS = 120
HOME = REPOSITORY / ".venv" / "audit"
"""A separate environment: the service must not run with pip-audit's dependencies."""
PINNED = ("requirements.txt", "requirements-dev.txt")


def summary_of(packages: Sequence[Mapping[str, Any]]) -> tuple[int, str]:
    """Return the exit code and the output lines for pip-audit's report."""
    audited = [package for package in packages if "skip_reason" not in package]
    if not audited:
        return 0, "The advisory data could not be reached: no version was audited."
    advisories = [
        f"{package['name']} {package['version']}: {advisory['id']}, fixed in "
        f"{', '.join(advisory['fix_versions']) or 'no version'}"
        for package in audited
        for advisory in package["vulns"]
    ]
    counted = f"{len(advisories)} advisories for {len(audited)} of {len(packages)} pinned versions"
    return int(bool(advisories)), "\n".join([*advisories, counted])


def main() -> int:
    if not (HOME / "bin" / "pip-audit").exists():
        venv.create(HOME, with_pip=True)
        pip = (HOME / "bin" / "python", "-m", "pip", "install", "--quiet", f"pip-audit=={VERSION}")
        if not _succeeds(*pip):
            sys.stdout.write("pip-audit could not be installed: no version was audited.\n")
            return 0
    packages: Sequence[Mapping[str, Any]] = ()
    for service in SERVICES:
        packages = _report(service)
        if any("skip_reason" not in package for package in packages):
            break
    code, lines = summary_of(packages)
    sys.stdout.write(f"{lines}\n")
    return code


def _report(service: str) -> Sequence[Mapping[str, Any]]:
    """Return the packages in a service's report, empty without a report."""
    with TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        files = [word for file in PINNED for word in ("--requirement", str(REPOSITORY / file))]
        quiet = ("--progress-spinner", "off", "--format", "json", "--output", str(report))
        hashed = ("--disable-pip", "--require-hashes", "--vulnerability-service", service)
        _succeeds(HOME / "bin" / "pip-audit", *hashed, *quiet, *files)
        text = report.read_text("utf-8") if report.exists() else ""
    packages: Sequence[Mapping[str, Any]] = json.loads(text)["dependencies"] if text else ()
    return packages


def _succeeds(*command: str | Path) -> bool:
    try:
        done = subprocess.run(command, capture_output=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
