# Debian 13 with Compose, and with what stands in for images that cannot be pulled: PostgreSQL, Redis, and moto for MinIO.
FROM debian-standin
RUN apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    docker-buildx docker-cli docker-compose postgresql-17 python3-flask python3-flask-cors python3-moto redis-server \
    sudo
ENV PATH=/usr/lib/postgresql/17/bin:$PATH
COPY --chmod=755 mc postgres-entrypoint /usr/local/bin/
