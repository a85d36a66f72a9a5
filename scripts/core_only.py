"""Import and run the core where nothing but its own requirements is installed."""

import importlib.util
import tempfile
from pathlib import Path

import maxcover as mc

for extra in ("networkx", "pandas", "pyarrow"):
    if importlib.util.find_spec(extra) is not None:
        raise SystemExit(f"expected an environment without extras, got {extra}")

problem = mc.generate.biregular(40, 120, 9, 3, budget=40, seed=0)
for method in mc.METHODS:
    print(f"{method:15} {mc.solve(problem, method=method)}")

with tempfile.TemporaryDirectory() as folder:
    for ending in ("npz", "json"):
        path = Path(folder) / f"problem.{ending}"
        mc.save(problem, path)
        print(f"{path.name}: {mc.load(path)}")
    try:
        mc.save(problem, Path(folder) / "problem.parquet")
    except mc.errors.MissingExtraError as error:
        print(f"as it should be: {error}")
    else:
        raise SystemExit("expected a MissingExtraError for Parquet without pyarrow")
