"""`make images` builds the images and runs the page's commands for Compose.

It has its own Docker engine and no registry: images from debootstrap replace third-party ones, with
Debian's PostgreSQL and Redis, and moto for MinIO.
"""

import os
import re
import secrets
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.doses import REPOSITORY

HERE = Path(__file__).parent
CONTAINER = "docs/operations/container"
PROGRAMS = ("dockerd", "/usr/bin/docker", "debootstrap", "tar")
PASSWORD = "correct horse battery"
SECONDS = 900
"""The longest that one command may take."""
PRELUDE = f"""
set -e
wait_for() {{ until "$@"; do sleep 5; done }}
docker() {{
    case "$1 $2" in
    "compose run" | "compose exec")
        command docker compose "$2" -T "${{@:3}}" <<< $'{PASSWORD}\\n{PASSWORD}' ;;
    *) command docker "$@" ;;
    esac
}}
"""
HEALTHY = "docker compose ps api | grep '(healthy)'"


def main() -> int:
    """Build and run everything; return 0 unless a command fails."""
    missing = [program for program in PROGRAMS if not shutil.which(program)]
    if missing or os.geteuid() != 0:
        sys.stdout.write(
            f"make images needs root and {', '.join(PROGRAMS)} "
            "(Debian: apt-get install docker.io debootstrap)\n"
        )
        return 2
    with TemporaryDirectory(dir="/var/tmp") as folder, _engine(Path(folder) / "engine"):
        checkout = Path(folder) / "checkout"
        _copy_checkout(checkout)
        packages = "python3,python3-venv,ca-certificates,tzdata"
        _import_debian(Path(folder), "bookworm", "python-standin", packages)
        _import_debian(Path(folder), "trixie", "debian-standin", "ca-certificates")
        _build("standins", HERE / "standins.Dockerfile", HERE)
        _operate(checkout, _commands((REPOSITORY / "docs/operations/README.md").read_text()))
        for name in ("onnx", "kubernetes"):
            _build(f"creator-tracker-{name}", checkout / CONTAINER / f"{name}.Dockerfile", checkout)
    return 0


@contextmanager
def _engine(folder: Path) -> Iterator[None]:
    """Run a Docker engine with its images, containers and networks in this folder."""
    folder.mkdir()
    socket = f"unix://{folder}/socket"
    os.environ |= {"DOCKER_HOST": socket, "DOCKER_BUILDKIT": "1"}
    with (folder / "log").open("w") as log:
        options = ("--host", socket, "--data-root", folder / "data", "--exec-root", folder / "exec")
        engine = subprocess.Popen(
            ["dockerd", *options, "--pidfile", folder / "pid", "--bridge", "none"],
            stdout=log,
            stderr=log,
        )
    try:
        while subprocess.run(["docker", "info"], capture_output=True, check=False).returncode != 0:
            if engine.poll() is not None:
                raise RuntimeError((folder / "log").read_text()[-2000:])
            time.sleep(1)
        yield
    finally:
        engine.terminate()
        engine.wait()
        for mount in reversed(Path("/proc/mounts").read_text().splitlines()):
            if f" {folder}/" in mount:  # the host's network stays mounted
                subprocess.run(["umount", mount.split()[1]], check=False)


def _copy_checkout(folder: Path) -> None:
    listed = _run("git", "-C", REPOSITORY, "ls-files", capture=True).splitlines()
    for name in listed:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(REPOSITORY / name, folder / name)


def _import_debian(folder: Path, suite: str, image: str, packages: str) -> None:
    """Make an image of Debian that trusts this machine's trusted certificates."""
    root = folder / suite
    _run("debootstrap", "--variant=minbase", f"--include={packages}", suite, root)
    bundle = "etc/ssl/certs/ca-certificates.crt"
    shutil.copy(f"/{bundle}", root / bundle)
    (root / "etc/pip.conf").write_text(f"[global]\ncert = /{bundle}\n")
    if (root / "usr/bin/python3").exists():
        (root / "usr/bin/python").symlink_to("python3")
    _run("tar", "-C", root, "-cf", folder / "root.tar", ".")
    _run("docker", "import", folder / "root.tar", image)
    shutil.rmtree(root)


def _build(image: str, dockerfile: Path, context: Path) -> None:
    # Debian's client supports BuildKit without buildx; newer clients need buildx.
    _run("/usr/bin/docker", "build", "--network=host", "-f", dockerfile, "-t", image, context)


def _commands(page: str) -> list[str]:
    """Return the page's commands for Compose, with values for the operator's choices."""
    section = page.split("\n## Containers\n")[1].split("\n## ", 1)[0]
    lines = "\n".join(re.findall(r"```sh\n(.*?)```", section, re.DOTALL)).splitlines()
    commands = [re.sub(r" +#.*", "", line) for line in lines if line]
    steps = [re.sub(r"\d{4}-\d\d-\d\dT\d{6}Z", "$(basename backups/*Z)", each) for each in commands]
    return [f"wait_for {each}" if "doctor" in each else each for each in steps]


def _operate(checkout: Path, commands: list[str]) -> None:
    """Run commands in Debian's Compose, in a checkout whose `.env` gets its secrets."""
    secret = f"sed -i 's/=$/={secrets.token_hex(32)}/' .env"
    at = next(i for i, command in enumerate(commands) if command.startswith("cp .env.example"))
    lines = [*commands[: at + 1], secret, *commands[at + 1 :], f'wait_for eval "{HEALTHY}"']
    script = PRELUDE + "\n".join(f"echo {shlex.quote('+ ' + line)}\n{line}" for line in lines)
    socket = os.environ["DOCKER_HOST"].removeprefix("unix://")
    files = f"COMPOSE_FILE=compose.yaml:{HERE / 'compose.yaml'}"
    mounts = [f"--volume={path}:{path}" for path in (checkout, HERE)]
    mounts.append(f"--volume={socket}:/var/run/docker.sock")
    options = ("--rm", "--network=host", f"--workdir={checkout}", "--env", files, *mounts)
    _run("docker", "run", *options, "standins", "bash", "-c", script)


def _run(*command: str | Path, capture: bool = False) -> str:
    started = time.monotonic()
    ended = subprocess.run(
        command, stdout=subprocess.PIPE if capture else None, text=True, timeout=SECONDS, check=True
    )
    sys.stdout.write(f"{time.monotonic() - started:5.0f} s  {' '.join(map(str, command[:4]))}\n")
    sys.stdout.flush()
    return ended.stdout or ""


if __name__ == "__main__":
    sys.exit(main())
