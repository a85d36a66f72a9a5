"""Nothing is downloaded at run time: a summary is made where there is no network."""

import shutil
import subprocess
import sys

PROGRAM = """
import socket
try:
    socket.create_connection(("192.0.2.1", 80), timeout=1)
except OSError:
    print("offline")
import maxcover as mc
for preset in ("default", "paper"):
    for language in ("english", "german", "japanese"):
        mc.summarize("Cats purr. Dogs bark at cats.", budget=9, preset=preset, language=language)
print(mc.summarize("Cats purr. Dogs bark at cats.", budget=2))
"""

# A namespace of the caller's own, or one that an administrator may make; where neither can be had,
# every socket is refused.
WITHOUT_NAMESPACE = """
import socket
def refuse(*arguments, **options):
    raise OSError("no network in this test")
socket.socket.connect = socket.getaddrinfo = socket.create_connection = refuse
"""


def commands():
    for options in (["-rn"], ["-n"]):
        if shutil.which("unshare"):
            yield ["unshare", *options, sys.executable, "-c", PROGRAM]
    yield [sys.executable, "-c", WITHOUT_NAMESPACE + PROGRAM]


def works(command) -> bool:
    trial = [*command[:-1], "pass"]
    return subprocess.run(trial, capture_output=True, check=False).returncode == 0


def test_summaries_without_a_network():
    command = next(command for command in commands() if works(command))
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[:2] == ["offline", "Cats purr."]
