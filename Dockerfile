# The service as a container: non-root, nothing compiled or fetched at run time. It listens on 127.0.0.1 of its
# network, which a proxy shares (compose.yaml). constraints.txt pins what is installed; it is made again by
#   uv pip compile packages/maxcover-serve/pyproject.toml --no-emit-package maxcover --no-header \
#     --no-annotate --universal --python-version 3.12 -o constraints.txt
FROM python:3.12.11-slim-bookworm@sha256:519591d6871b7bc437060736b9f7456b8731f1499a57e22e6c285135ae657bf7 AS build
RUN apt-get update && apt-get install --yes --no-install-recommends clang libc6-dev
WORKDIR /source
RUN python -m venv /opt/maxcover
COPY constraints.txt pyproject.toml meson.build meson.options README.md LICENSE NOTICE ./
COPY src ./src
COPY packages/maxcover-serve ./packages/maxcover-serve
RUN CC=clang /opt/maxcover/bin/pip install --no-cache-dir --constraint constraints.txt . ./packages/maxcover-serve

FROM python:3.12.11-slim-bookworm@sha256:519591d6871b7bc437060736b9f7456b8731f1499a57e22e6c285135ae657bf7
RUN useradd --system --uid 10001 --no-create-home maxcover
COPY --from=build /opt/maxcover /opt/maxcover
ENV PATH=/opt/maxcover/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1
USER maxcover
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8080/healthz', timeout=2)"]
ENTRYPOINT ["maxcover", "serve"]
