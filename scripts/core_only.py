"""Import and run the core where nothing but its own requirements is installed."""

import importlib.util
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

import maxcover as mc

for extra in ("networkx", "pandas", "pyarrow", "pydantic", "scipy"):
    if importlib.util.find_spec(extra) is not None:
        raise SystemExit(f"expected an environment without extras, got {extra}")

if sysconfig.get_config_var("Py_GIL_DISABLED") and sys._is_gil_enabled():
    raise SystemExit("expected kernels that run without the lock of the interpreter")

problem = mc.generate.biregular(40, 120, 9, 3, budget=40, seed=0)
for method in mc.METHODS:
    print(f"{method:15} {mc.solve(problem, method=method)}")

similar = mc.CoverageProblem.from_similarity([[1.0, 0.5], [0.2, 0.5]], budget=1)
print(f"facility location: {mc.solve(similar)}")
if not mc.verify(problem, mc.solve(problem, checkable=True)).ok:
    raise SystemExit("expected a certificate that can be verified")
storm = "A storm hit the coast on Sunday. The coast road is closed. Nobody was hurt."
print(mc.summarize(storm, budget=8))
print(mc.pack([storm, "Ferries start on Tuesday."], query="When do ferries start?", budget=12))
command = [sys.executable, "-c", "from maxcover.cli.app import run; run()", "summarize", "-b", "8"]
done = subprocess.run(command, input=storm, capture_output=True, text=True, check=True)
if done.stdout.strip() != str(mc.summarize(storm, budget=8)):
    raise SystemExit(f"expected the command to say the same, got {done.stdout!r}")

command[3:] = ["serve"]
done = subprocess.run(command, capture_output=True, text=True, check=False)
if not {"'maxcover[serve]',", "./packages/maxcover-serve"} <= {*done.stderr.split()}:
    raise SystemExit(f"expected both lines that install the service, got {done.stderr!r}")

with tempfile.TemporaryDirectory() as folder:
    for ending in ("npz", "json"):
        path = Path(folder) / f"problem.{ending}"
        mc.save(problem, path)
        print(f"{path.name}: {mc.load(path)}")
    path = Path(folder) / "sets.parquet"
    path.write_bytes(b"PAR1")
    try:
        mc.load(path, budget=1)
    except mc.errors.MissingExtraError as error:
        print(f"as it should be: {error}")
    else:
        raise SystemExit("expected a MissingExtraError for Parquet without pyarrow")
