"""The reverse proxy of deploy/ before a service, as an operator starts it."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import httpx

from running import Running, free_port

DEPLOY = Path(__file__).parents[3] / "deploy"
_MAIN = """daemon off;
pid {folder}/pid;
{user}
events {{ worker_connections 1024; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/maxcover.conf;
}}
"""


class Proxied:
    """A service, and nginx before it with the file that we ship; only ports and paths differ."""

    def __init__(self, *, tokens="default everybody;", rate=20, at_once=4, **settings):
        self.service = Running(**{"workers": 1, "drain_seconds": 0, **settings})
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.folder = Path(tempfile.mkdtemp())
        shipped = (DEPLOY / "nginx.conf").read_text()
        for ours, here in (
            ("listen 8081", f"listen {self.port}"),
            ("127.0.0.1:8080", f"127.0.0.1:{self.service.port}"),
            ("/etc/nginx/tokens.conf", f"{self.folder}/tokens.conf"),
            ("rate=20r/s", f"rate={rate}r/s"),
            ("limit_conn maxcover_connections 4", f"limit_conn maxcover_connections {at_once}"),
        ):
            assert ours in shipped
            shipped = shipped.replace(ours, here)
        (self.folder / "maxcover.conf").write_text(shipped)
        (self.folder / "tokens.conf").write_text(tokens)
        main = self.folder / "nginx.conf"
        user = "user root;" if os.geteuid() == 0 else ""
        main.write_text(_MAIN.format(folder=self.folder, user=user))
        nginx = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
        self.command = [nginx, "-p", str(self.folder), "-c", str(main), "-e", "stderr"]
        self.log = (self.folder / "log").open("w+b")
        self.process = subprocess.Popen(self.command, stderr=self.log)
        while self.get("/healthz", retried=True).status_code != 200:
            time.sleep(0.05)

    def client(self, source="127.0.0.1"):
        """Return a client that calls from an address of this machine."""
        transport = httpx.HTTPTransport(local_address=source)
        return httpx.Client(base_url=self.url, transport=transport, timeout=60)

    def get(self, path, *, retried=False):
        """Ask once, or until the proxy listens."""
        while True:
            try:
                return httpx.get(f"{self.url}{path}")
            except httpx.ConnectError:
                if not retried or self.process.poll() is not None:
                    raise
                time.sleep(0.05)

    def reload(self):
        """Have nginx read its files again."""
        subprocess.run([*self.command, "-s", "reload"], check=True)

    def stop(self):
        """End both; return the exit code of the service."""
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)
        return self.service.stop()
