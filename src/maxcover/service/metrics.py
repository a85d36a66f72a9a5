"""Metrics: what to watch, in the format of Prometheus."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.gc_collector import GCCollector
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector

if TYPE_CHECKING:
    from collections.abc import Iterator

    from prometheus_client.core import Metric

    from maxcover.service.intake import Intake
    from maxcover.service.pool import Pool

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Metrics:
    """Prometheus metrics of one service. Labels of routes come from a fixed list of paths."""

    def __init__(self) -> None:
        # Without this call each metric has a second series, `_created`, which nobody reads.
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        GCCollector(registry=self.registry)
        self.requests = Counter(
            "maxcover_requests_total",
            "Requests that were answered.",
            ["route", "status"],
            registry=self.registry,
        )
        self.seconds = Histogram(
            "maxcover_request_seconds",
            "Time from the head of a request to the end of its answer.",
            ["route"],
            buckets=_SECONDS,
            registry=self.registry,
        )
        # Series are cached, because finding the series of some labels takes longer than counting in
        # it.
        self._series = functools.cache(self._find_series)
        self.request_bytes = Counter(
            "maxcover_request_bytes_total", "Bodies received.", registry=self.registry
        )

    def watch(self, pool: Pool, intake: Intake) -> None:
        """Also report the state of the pool and of the bodies in memory."""
        self.registry.register(_State(pool, intake))

    def observe(self, route: str, status: int, seconds: float, size: int) -> None:
        """Count a request: its route, status, duration in seconds, and body size in bytes."""
        count, times = self._series(route, status)
        count.inc()
        times.observe(seconds)
        self.request_bytes.inc(size)

    def _find_series(self, route: str, status: int) -> tuple[Counter, Histogram]:
        return self.requests.labels(route, str(status)), self.seconds.labels(route)

    def page(self) -> bytes:
        """Return all metrics in Prometheus's text format."""
        return generate_latest(self.registry)


class _State(Collector):
    """Metrics whose values are read from the pool and the intake at each scrape."""

    def __init__(self, pool: Pool, intake: Intake) -> None:
        self.pool, self.intake = pool, intake

    def collect(self) -> Iterator[Metric]:
        for name, text, value in (
            ("queue_length", "Requests that wait for a worker.", len(self.pool.queue)),
            ("queue_capacity", "Requests that may wait.", self.pool.settings.n_waiting),
            ("workers_ready", "Workers that can work.", len(self.pool.ready)),
            ("workers_busy", "Workers that have a request.", len(self.pool.running)),
            ("bodies_bytes", "Bodies that are held in memory.", self.intake.held),
        ):
            yield GaugeMetricFamily(f"maxcover_{name}", text, value=float(value))
        for name, text, value in (
            ("workers_replaced", "Workers that died and were replaced.", self.pool.replaced),
            ("worker_starts_failed", "Workers that could not be started.", self.pool.failed),
        ):
            yield CounterMetricFamily(f"maxcover_{name}", text, value=float(value))
