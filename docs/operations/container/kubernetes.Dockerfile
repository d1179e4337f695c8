# The image with Dagster's launcher for Kubernetes (kubernetes-shards), made from the image of Dockerfile:
# `docker build -f docs/operations/container/kubernetes.Dockerfile -t creator-tracker-kubernetes:2.0.0 .`

FROM creator-tracker:2.0.0
USER root
# Of Dagster's own release; what it brings (kubernetes, google-auth) is not among our pins.
RUN python -m pip install --no-cache-dir dagster-k8s==0.29.27
USER 10001:10001
