# The service as a container: non-root, nothing compiled or fetched at run time.
FROM python:3.12-slim AS build
RUN apt-get update && apt-get install --yes --no-install-recommends clang libc6-dev
WORKDIR /source
RUN python -m venv /opt/maxcover
COPY pyproject.toml meson.build meson.options README.md LICENSE NOTICE ./
COPY src ./src
RUN CC=clang /opt/maxcover/bin/pip install --no-cache-dir ".[serve]"

FROM python:3.12-slim
RUN useradd --system --uid 10001 --no-create-home maxcover
COPY --from=build /opt/maxcover /opt/maxcover
ENV PATH=/opt/maxcover/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1
USER maxcover
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8080/healthz', timeout=2)"]
ENTRYPOINT ["maxcover", "serve"]
CMD ["--host", "0.0.0.0", "--port", "8080"]
