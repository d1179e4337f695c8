"""What is said to operators holds: settings, commands and files of docs/operations are real."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from ctypes.util import find_library
from importlib.metadata import requires, version
from ipaddress import ip_address, ip_network
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.orchestration.commands import tracker_here
from warehouse.dagster_settings import sections_of
from warehouse.operational.migrations import BEFORE_BASELINE
from warehouse.settings import REPOSITORY, Settings

OPERATIONS = REPOSITORY / "docs" / "operations"
FILES = sorted(path for path in OPERATIONS.rglob("*") if path.is_file())
UNITS = sorted(OPERATIONS.glob("systemd/*.service"))
OF_COMPOSE = {"TRACKER_VERSION"}
"""What compose.yaml reads for itself."""


def test_every_setting_named_is_one() -> None:
    settings = {f"TRACKER_{name.upper()}" for name in Settings.model_fields}
    named = {
        name for file in FILES for name in re.findall(r"\bTRACKER_[A-Z0-9_]+\b", file.read_text())
    }
    assert named - settings - OF_COMPOSE == set()


def test_the_page_names_the_commit_that_upgrades_older_schemas() -> None:
    assert f"`git checkout {BEFORE_BASELINE}`" in (OPERATIONS / "README.md").read_text()


def commands() -> Iterator[tuple[str, ...]]:
    """What the files run `tracker` with, as words."""
    compose = yaml.safe_load((OPERATIONS / "container" / "compose.yaml").read_text())
    for service in compose["services"].values():
        if "creator-tracker" in service["image"]:
            yield tuple(service["command"])
    (workload,) = yaml.safe_load_all((OPERATIONS / "kubernetes" / "tracker.yaml").read_text())
    pod = workload["spec"]["template"]["spec"]
    for container in (*pod["initContainers"], *pod["containers"]):
        yield tuple(container["args"])
    (backup, _) = yaml.safe_load_all((OPERATIONS / "kubernetes" / "backup.yaml").read_text())
    (container,) = backup["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"]
    yield tuple(container["args"])
    for unit in UNITS:
        (command,) = re.findall(r"^ExecStart=\S+/tracker (.*)$", unit.read_text(), re.MULTILINE)
        yield tuple(command.split())


@pytest.mark.parametrize("words", sorted(set(commands())), ids=" ".join)
def test_every_command_is_one_that_tracker_knows(words: tuple[str, ...]) -> None:
    ended = tracker_here(*words, "--help", env=dict(os.environ))
    assert ended.returncode == 0, ended.stderr


def test_every_image_of_others_is_named_by_its_digest() -> None:
    """A tag can be moved to another image; our own have none before they are built."""
    image = r"^(?:FROM|ARG PYTHON=| *image: )\s*([\w./-]+[:@]\S+)"
    named = {
        image_name
        for file in (OPERATIONS / "container").iterdir()
        for image_name in re.findall(image, file.read_text(), re.MULTILINE)
        if not image_name.startswith("creator-tracker")
    }
    assert len(named) == 5
    assert [name for name in named if not re.search(r":[\w.-]+@sha256:[0-9a-f]{64}$", name)] == []


def test_the_image_that_runs_a_model_gets_all_that_the_extra_needs() -> None:
    text = (OPERATIONS / "container" / "onnx.Dockerfile").read_text()
    (taken,) = re.findall(r"sed -n '/\^\\\((\S+)\\\)==", text)
    assert set(taken.split("\\|")) == _missing_for("creator-tracker", "onnx")


def _missing_for(distribution: str, extra: str) -> set[str]:
    """Return what a distribution with that extra needs, and the image has not."""
    pins = (REPOSITORY / "requirements.txt").read_text()
    known = {canonicalize_name(name) for name in re.findall(r"^([\w.-]+).*==", pins, re.MULTILINE)}
    missing: set[str] = set()
    for line in requires(distribution) or ():
        needed = Requirement(line)
        name = canonicalize_name(needed.name)
        applies = needed.marker is None or needed.marker.evaluate({"extra": extra})
        if applies and name not in known:
            missing |= {name} | _missing_for(name, "")
    return missing


@pytest.mark.skipif(
    not shutil.which("systemd-analyze"),
    reason="systemd-analyze is not installed (Debian: apt-get install systemd)",
)
def test_systemd_takes_the_units(tmp_path: Path) -> None:
    """But for the command, which is installed elsewhere."""
    for unit in (*UNITS, OPERATIONS / "systemd/tracker-backup.timer"):
        text = re.sub(
            r"^ExecStart=\S+", "ExecStart=/bin/true", unit.read_text(), flags=re.MULTILINE
        )
        (tmp_path / unit.name).write_text(text)
    units = sorted(str(unit) for unit in tmp_path.iterdir())
    ended = subprocess.run(
        ["systemd-analyze", "verify", *units], capture_output=True, text=True, check=False
    )
    complaints = [
        line for line in ended.stderr.splitlines() if str(tmp_path) in line or "tracker" in line
    ]
    assert complaints == []


LANDING = """
import sys
from pathlib import Path
from tests.factories.landing import profile
from tests.fixtures.syscalls import restrict
from warehouse.landing.batches import read_landed
from warehouse.landing.opening import open_landing
from warehouse.landing.writer import LandingWriter
from warehouse.settings import Settings

landing = open_landing(Settings(home=Path(sys.argv[1])))
restrict(sys.stdin.read())
batch_id = LandingWriter(landing).land(profiles=[profile("ada")])
print(read_landed(landing.landed(batch_id))["profiles"].height)
"""


@pytest.mark.slow
@pytest.mark.skipif(
    not (shutil.which("systemd-analyze") and find_library("seccomp")),
    reason="systemd or libseccomp is not installed (Debian: apt-get install systemd libseccomp2)",
)
@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_batches_are_written_and_read_under_a_units_filter(unit: Path, tmp_path: Path) -> None:
    """Polars calls cachestat, which systemd 252 does not know."""
    ended = subprocess.run(
        [sys.executable, "-c", LANDING, tmp_path],
        input=unit.read_text(),
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (0, "1\n"), ended.stderr


def test_each_container_has_a_liveness_probe_and_each_pipeline_unit_a_watchdog() -> None:
    (workload,) = yaml.safe_load_all((OPERATIONS / "kubernetes" / "tracker.yaml").read_text())
    for container in workload["spec"]["template"]["spec"]["containers"]:
        probe = container["livenessProbe"]
        if "exec" in probe:  # of the command that touches the file
            assert f"/tmp/{container['args'][0]}.alive " in probe["exec"]["command"][-1]
        else:
            assert probe["httpGet"]["path"] == "/healthz"
    for name in ("tracker", "tracker-scrape@"):
        assert "\nWatchdogSec=" in (OPERATIONS / f"systemd/{name}.service").read_text()


@pytest.mark.parametrize("name", ["tracker", "tracker-api"])
def test_a_process_that_runs_out_of_memory_stops_no_other(name: str) -> None:
    """By default systemd stops the unit; these replace their processes themselves."""
    unit = (OPERATIONS / f"systemd/{name}.service").read_text()
    assert "\nOOMPolicy=continue\n" in unit


@pytest.mark.skipif(
    not shutil.which("kubectl"),
    reason="kubectl is not installed (see https://kubernetes.io/docs/tasks/tools)",
)
@pytest.mark.parametrize(
    ("folder", "more"),
    [
        ("kubernetes", set()),
        ("kubernetes-shards", {"Role", "RoleBinding", "ServiceAccount"}),
    ],
    ids=["base", "shards"],
)
def test_kustomize_makes_the_base_and_its_overlay(folder: str, more: set[str]) -> None:
    ended = subprocess.run(
        ["kubectl", "kustomize", str(OPERATIONS / folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    made = list(yaml.safe_load_all(ended.stdout))
    kinds = {document["kind"] for document in made}
    base = {"ConfigMap", "CronJob", "NetworkPolicy", "PersistentVolumeClaim", "Service"}
    assert kinds == base | {"StatefulSet"} | more
    (workload,) = (document for document in made if document["kind"] == "StatefulSet")
    pod = workload["spec"]["template"]["spec"]
    assert pod["securityContext"]["runAsNonRoot"]
    for container in (*pod["initContainers"], *pod["containers"]):
        assert container["securityContext"]["readOnlyRootFilesystem"]
        assert container["resources"]["limits"]["memory"]


def test_what_the_launcher_for_kubernetes_names_is_in_the_manifests() -> None:
    folder = OPERATIONS / "kubernetes-shards"
    overlay = yaml.safe_load((folder / "kustomization.yaml").read_text())
    settings, file = overlay["configMapGenerator"]
    made = list(yaml.safe_load_all((folder / "launching.yaml").read_text()))
    named = {(resource["kind"], resource["metadata"]["name"]) for resource in made}
    launcher = sections_of(folder / "launcher.yaml")["run_launcher"]["config"]
    data, own, _ = launcher["volumes"]

    assert launcher["env_config_maps"] == [settings["name"]]
    assert launcher["instance_config_map"] == own["configMap"]["name"] == file["name"]
    assert ("ServiceAccount", launcher["service_account_name"]) in named
    assert ("PersistentVolumeClaim", data["persistentVolumeClaim"]["claimName"]) in named
    variables = dict(line.split("=", 1) for line in settings["literals"])
    mounts = {each["name"]: each["mountPath"] for each in launcher["volume_mounts"]}
    assert variables["TRACKER_DAGSTER_SETTINGS"] == f"{mounts['launcher']}/{file['files'][0]}"
    base = (OPERATIONS / "kubernetes" / "kustomization.yaml").read_text()
    assert launcher["dagster_home"].removesuffix("/dagster") in re.findall(r"HOME=(\S+)", base)
    assert launcher["dagster_home"].startswith(mounts["data"])


def test_policies_select_the_pods_of_runs_and_nobody_elses() -> None:
    folder = OPERATIONS / "kubernetes-shards"
    base = yaml.safe_load((OPERATIONS / "kubernetes" / "kustomization.yaml").read_text())
    [labels] = (each["pairs"] for each in base["labels"])
    assert sections_of(folder / "launcher.yaml")["run_launcher"]["config"]["labels"] == labels
    made = yaml.safe_load_all((folder / "launching.yaml").read_text())
    [policy] = (resource["spec"] for resource in made if resource["kind"] == "NetworkPolicy")
    assert policy["podSelector"] == {"matchLabels": labels}


def test_pods_reach_no_private_address_but_the_databases_and_dns() -> None:
    (policy,) = yaml.safe_load_all((OPERATIONS / "kubernetes" / "network.yaml").read_text())
    *inside, outside = policy["spec"]["egress"]
    assert {each["port"] for rule in inside for each in rule["ports"]} == {53, 5432, 6379}
    public, public_ipv6 = (each["ipBlock"] for each in outside["to"])
    blocked = [ip_network(each) for each in public["except"]]
    for address in ("10.0.0.1", "172.20.0.1", "192.168.1.1", "100.100.1.1", "169.254.169.254"):
        assert any(ip_address(address) in each for each in blocked)
    assert not any(ip_address("9.9.9.9") in each for each in blocked)
    assert ip_address("fd00:ec2::254") not in ip_network(public_ipv6["cidr"])


def test_the_image_has_the_launcher_that_goes_with_dagster() -> None:
    text = (OPERATIONS / "container" / "kubernetes.Dockerfile").read_text()
    [launcher] = re.findall(r"dagster-k8s==(\S+)", text)
    assert launcher == version("dagster-postgres")


def test_every_file_that_the_page_links_to_is_there() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", (OPERATIONS / "README.md").read_text())
    assert [link for link in links if not (OPERATIONS / link).exists()] == []
