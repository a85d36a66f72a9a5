"""Metrics: what to watch, in the format of Prometheus."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.gc_collector import GCCollector
from prometheus_client.process_collector import ProcessCollector

if TYPE_CHECKING:
    from collections.abc import Callable

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
        self.request_bytes = Counter(
            "maxcover_request_bytes_total", "Bodies received.", registry=self.registry
        )
        self.replaced = Counter(
            "maxcover_workers_replaced_total",
            "Workers that died and were replaced.",
            registry=self.registry,
        )
        self.failed = Counter(
            "maxcover_worker_starts_failed_total",
            "Workers that could not be started.",
            registry=self.registry,
        )

    def watch(self, name: str, text: str, read: Callable[[], float]) -> None:
        """Also report a state that is read at each scrape."""
        Gauge(f"maxcover_{name}", text, registry=self.registry).set_function(read)

    def observe(self, route: str, status: int, seconds: float, size: int) -> None:
        """Count a request: its route, status, duration in seconds, and body size in bytes."""
        self.requests.labels(route, str(status)).inc()
        self.seconds.labels(route).observe(seconds)
        self.request_bytes.inc(size)

    def page(self) -> bytes:
        """Return all metrics in Prometheus's text format."""
        return generate_latest(self.registry)
