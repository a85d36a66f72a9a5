# The service as a container: non-root, kernels compiled at build time, nothing fetched at run time.
FROM python:3.12-slim AS build
WORKDIR /source
RUN python -m venv /opt/maxcover
COPY pyproject.toml README.md LICENSE NOTICE ./
COPY src ./src
RUN /opt/maxcover/bin/pip install --no-cache-dir ".[serve]"

FROM python:3.12-slim
RUN useradd --system --uid 10001 --no-create-home maxcover
COPY --from=build /opt/maxcover /opt/maxcover
RUN install --directory --owner=maxcover /var/cache/maxcover
ENV PATH=/opt/maxcover/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    NUMBA_CACHE_DIR=/var/cache/maxcover \
    NUMBA_CPU_NAME=generic
USER maxcover
# Compiled for any processor of the architecture, by the user who runs them: numba reads a cache
# only where it could also write one.
RUN python -m maxcover.service.worker '{}' < /dev/null > /dev/null
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8080/healthz', timeout=2)"]
ENTRYPOINT ["maxcover", "serve"]
CMD ["--host", "0.0.0.0", "--port", "8080"]
