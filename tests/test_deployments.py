"""The deployment files for containers are consistent: images, Compose, Kubernetes."""

import os
import re
import shutil
import subprocess
from importlib.metadata import requires, version
from ipaddress import ip_address, ip_network
from pathlib import Path

import kubernetes_validate
import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.test_operations import OPERATIONS
from warehouse.dagster_settings import sections_of
from warehouse.settings import REPOSITORY

CONTAINER = OPERATIONS / "container"
MANIFESTS = [
    *(
        OPERATIONS / "kubernetes" / f"{name}.yaml"
        for name in ("tracker", "backup", "service", "network")
    ),
    OPERATIONS / "kubernetes-shards" / "launching.yaml",
]


@pytest.mark.parametrize("kubernetes", ["1.28", "1.37"])
@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda manifest: manifest.stem)
def test_kubernetes_accepts_each_manifest(manifest: Path, kubernetes: str) -> None:
    for resource in yaml.safe_load_all(manifest.read_text()):
        kubernetes_validate.validate(resource, kubernetes, strict=True)


@pytest.mark.slow
@pytest.mark.skipif(
    not shutil.which("docker-compose"),
    reason="docker-compose is not installed (Debian: apt-get install docker-compose)",
)
@pytest.mark.parametrize(
    ("secret", "complaint"), [("s3cret", ""), ("", "choose one in .env")], ids=["set", "empty"]
)
def test_compose_accepts_its_file_once_the_secrets_are_set(
    secret: str, complaint: str, tmp_path: Path
) -> None:
    settings = (CONTAINER / ".env.example").read_text()
    (tmp_path / ".env").write_text(re.sub("=$", f"={secret}", settings, flags=re.MULTILINE))
    # Debian 12 has Compose 1.29, which does not know `name`.
    file = re.sub("^name: .*", "", (CONTAINER / "compose.yaml").read_text(), flags=re.MULTILINE)
    options = ("--env-file", tmp_path / ".env", "--file", "-")
    ended = subprocess.run(
        ["docker-compose", *options, "config"],
        input=file,
        cwd=CONTAINER,
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )
    if complaint:
        assert complaint in ended.stderr
        return
    assert ended.returncode == 0, ended.stderr
    api = yaml.safe_load(ended.stdout)["services"]["api"]
    assert (Path(api["build"]["context"]) / api["build"]["dockerfile"]).exists()
    assert api["environment"]["TRACKER_SECRET_KEY"] == secret


def test_every_image_of_others_is_named_by_its_digest() -> None:
    """A tag can move to another image; our own images have no digest before they are built."""
    image = r"^(?:# syntax=|FROM|ARG PYTHON=| *image: )\s*([\w./-]+[:@]\S+)"
    named = {
        image_name
        for file in CONTAINER.iterdir()
        for image_name in re.findall(image, file.read_text(), re.MULTILINE)
        if not image_name.startswith("creator-tracker")
    }
    assert len(named) == 5
    assert [name for name in named if not re.search(r":[\w.-]+@sha256:[0-9a-f]{64}$", name)] == []


def test_the_image_that_runs_a_model_gets_all_that_the_extra_needs() -> None:
    text = (CONTAINER / "onnx.Dockerfile").read_text()
    (taken,) = re.findall(r"sed -n '/\^\\\((\S+)\\\)==", text)
    assert set(taken.split("\\|")) == _missing_for("creator-tracker", "onnx")


def _missing_for(distribution: str, extra: str) -> set[str]:
    """Return requirements of the distribution with that extra which the image lacks."""
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
    for document in made:
        kubernetes_validate.validate(document, "1.37", strict=True)
    kinds = {document["kind"] for document in made}
    base = {"ConfigMap", "CronJob", "NetworkPolicy", "PersistentVolumeClaim", "Service"}
    assert kinds == base | {"StatefulSet"} | more
    (workload,) = (document for document in made if document["kind"] == "StatefulSet")
    pod = workload["spec"]["template"]["spec"]
    assert pod["securityContext"]["runAsNonRoot"]
    for container in (*pod["initContainers"], *pod["containers"]):
        assert container["securityContext"]["readOnlyRootFilesystem"]
        assert container["resources"]["limits"]["memory"]


def test_names_in_the_kubernetes_launcher_are_in_the_manifests() -> None:
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


def test_policies_select_the_pods_of_runs_and_no_others() -> None:
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


def test_the_image_has_the_launcher_of_dagsters_version() -> None:
    text = (CONTAINER / "kubernetes.Dockerfile").read_text()
    [launcher] = re.findall(r"dagster-k8s==(\S+)", text)
    assert launcher == version("dagster-postgres")
