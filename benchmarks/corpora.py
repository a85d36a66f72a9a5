"""Fuzz corpora of five C libraries: libFuzzer's merges and afl-cmin, by their own code, and ours.

    apt-get source --download-only cmark expat libyaml lua5.4      # and unpack the .orig.tar.gz
    pip download --no-deps --no-binary :all: quickjs==1.19.4       # and unpack it
    python benchmarks/corpora.py --work DIR [--seconds 40] [--seeds 1] [names...]

DIR holds the unpacked trees. Needs clang, libFuzzer and afl++ (scripts/system-packages). Each
target is fuzzed for so many seconds per seed. Then every input is run once by
``-set_cover_merge=1``, whose control file the rest is about. CPU seconds are user and system time
of the processes.
"""

import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import time
from pathlib import Path

import numpy as np

from pytest_maxcover import choose
from pytest_maxcover.fuzz_corpus import put, read_corpus

HERE = Path(__file__).parent / "fuzz_targets"
CMARK = (
    "#include <stdbool.h>\n#define CMARK_ATTRIBUTE(l) __attribute__ l\n"
    "#define CMARK_INLINE inline\n"
)
EXPAT = (
    "#define HAVE_MEMMOVE 1\n#define XML_CONTEXT_BYTES 1024\n#define XML_DTD 1\n"
    "#define XML_NS 1\n#define BYTEORDER 1234\n#define XML_POOR_ENTROPY 1\n"
)
YAML = [f"-DYAML_VERSION_{k}={v}" for k, v in (("MAJOR", 0), ("MINOR", 2), ("PATCH", 5))]
# sources below the folder that matches, those left out, flags, headers that configure would make
TARGETS = {
    "cmark": ("cmark-*/src", "*.c", ["main.c"], [], {
        "config.h": CMARK, "cmark_export.h": "#define CMARK_EXPORT\n",
        "cmark_version.h": '#define CMARK_VERSION 1\n#define CMARK_VERSION_STRING "1"\n'}),
    "expat": ("libexpat-*/expat/lib", "xml[prt]*.c", ["xmltok_impl.c", "xmltok_ns.c"],
              ["-DXML_STATIC", "-DHAVE_EXPAT_CONFIG_H"], {"expat_config.h": EXPAT}),
    "libyaml": ("libyaml-*/src", "*.c", [],
                [*YAML, '-DYAML_VERSION_STRING="0"', "-I../include"], {}),
    "lua": ("lua-*/src", "*.c", ["lua.c", "luac.c"], [], {}),
    "quickjs": ("quickjs-*/upstream-quickjs", "*.c", [],
                ["-D_GNU_SOURCE", '-DCONFIG_VERSION="1"'], {}),
}  # fmt: skip
SEEDS = {
    "expat": ['<?xml version="1.0"?><!DOCTYPE a [<!ELEMENT a (b|c)*><!ENTITY e "t">]>'
              '<a xmlns:n="u"><n:b x="1">&e;&#65;</n:b><!-- c --><?pi d?><![CDATA[z]]></a>'],
    "libyaml": ["a: [1, {b: c}]\n- &x !!str 'y'\n- *x\n--- |\n  text\n...\n"],
    "lua": ["local t={1,x=3} for k,v in pairs(t) do t[k]=tostring(v)..('%d'):format(4) end "
            "goto l ::l:: return string.gsub('abc','%w',string.upper), #t, ~5&3|1<<2"],
    "quickjs": ["var a=[1].map(x=>x*2);class A{#p=1;static get q(){return `t${a}`}};for(const [k,v]"
                " of Object.entries({x:/a(b|c)*/g})){JSON.stringify(v)};try{null.x}catch(e){}"],
}  # fmt: skip


def run(*command, cwd, env=None):
    """Run a program; return the CPU seconds of it and its children, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(  # noqa: S603 - programs that were built here
        [*map(str, command)], cwd=cwd, env=env, capture_output=True, check=False,
        text=True, errors="replace",
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, done.stdout + done.stderr


def build(work: Path, name: str) -> None:
    folder, pattern, without, flags, headers = TARGETS[name]
    (source,) = work.glob(folder)
    made = work / "made" / name
    made.mkdir(parents=True, exist_ok=True)
    for header, text in headers.items():
        (made / header).write_text(text)
    (work / "bin").mkdir(exist_ok=True)
    files = [p for p in sorted(source.glob(pattern)) if p.name not in without]
    flags = [f"-I{source / flag[2:]}" if flag.startswith("-I") else flag for flag in flags]
    for compiler, ending in (("clang", ""), ("afl-clang-fast", ".afl")):
        binary = work / "bin" / f"{name}{ending}"
        if not binary.exists():
            run(
                compiler, "-w", "-g", "-O1", "-fsanitize=fuzzer", *flags, f"-I{made}",
                f"-I{source}", *files, HERE / f"{name}.c", "-lm", "-o", binary, cwd=work,
            )  # fmt: skip
        assert binary.exists(), binary


def fuzz(work: Path, name: str, seconds: int, seeds: int) -> None:
    corpus, first = work / name / "corpus", work / name / "seeds"
    if corpus.exists():
        return
    corpus.mkdir(parents=True)
    first.mkdir()
    texts = SEEDS.get(name) or re.findall(
        r"`{32} example\n(.*?)\n\.\n", next(work.glob("cmark-*/test/spec.txt")).read_text(), re.S
    )
    for k, text in enumerate(texts):
        (first / f"s{k}").write_text(text)
    for seed in range(1, seeds + 1):
        limits = (f"-seed={seed}", f"-max_total_time={seconds}", "-max_len=4096", "-timeout=5")
        run(work / "bin" / name, *limits, "corpus", "seeds", cwd=work / name)


def size(folder: Path) -> tuple[int, int]:
    files = [p for p in folder.iterdir() if p.is_file()]
    return len(files), sum(p.stat().st_size for p in files)


def covered(work: Path, name: str, folder: str) -> tuple[int, int]:
    """Return the edges and features that the target itself finds in a corpus, run again."""
    said = run(work / "bin" / name, "-runs=0", folder, cwd=work / name)[1]
    found = re.findall(r"cov: (\d+) ft: (\d+)", said)
    return max((int(c), int(f)) for c, f in found)


def compare(work: Path, name: str) -> dict:
    here, binary = work / name, work / "bin" / name
    row: dict = {"target": name, "corpus": size(here / "corpus")}
    for folder in ("one_pass", "greedy", "afl", "bytes", "files"):
        shutil.rmtree(here / folder, ignore_errors=True)
    for folder in ("one_pass", "greedy"):
        (here / folder).mkdir()
    control = here / "control.txt"
    control.unlink(missing_ok=True)
    took, _ = run(binary, "-merge=1", "one_pass", "corpus", cwd=here)
    row["one pass"] = (*size(here / "one_pass"), round(took, 1))
    took, _ = run(
        binary, "-set_cover_merge=1", f"-merge_control_file={control}", "greedy", "corpus", cwd=here
    )
    row["greedy"] = (*size(here / "greedy"), round(took, 1))
    suite = read_corpus([control], ["bytes", "files"], inputs=here / "corpus")
    row["features"], row["pairs"] = suite.n_lines, 0
    sizes = np.bincount(suite.block_of, minlength=suite.n_blocks)
    row["pairs"] = int(sizes[suite.indices].sum())
    for unit in ("bytes", "files"):
        start = time.process_time()
        found = choose(suite.with_costs(**{unit: suite.costs[unit]}), target=1.0)
        took = time.process_time() - start
        put(found.tests, here / unit, inputs=here / "corpus", link=True)
        row[unit] = (*size(here / unit), round(found.bound), round(took, 1))
    # a hundred times each, as libFuzzer counts milliseconds
    files = sorted((here / "corpus").iterdir())
    _, said = run(binary, "-runs=100", *files, cwd=here)
    (here / "times.log").write_text(said, errors="surrogateescape")
    times = [here / "times.log"]
    both = read_corpus([control], ["bytes", "seconds"], inputs=here / "corpus", times=times)
    for part in (0.02, 0.1, 0.2):
        start = time.process_time()
        budgets = {name: part * float(cost.sum()) for name, cost in both.costs.items()}
        found = choose(both, budget=budgets)
        took = time.process_time() - start
        used = [round(found.totals[name] / budgets[name], 3) for name in both.costs]
        shares = (round(found.share, 4), round(found.answer.gap, 4))
        row[f"{part:.0%} of bytes and seconds"] = (*shares, *used, round(took, 1))
    row["run again"] = {f: covered(work, name, f) for f in ("corpus", "greedy", "bytes", "files")}
    took, said = run(
        "afl-cmin", "-i", "corpus", "-o", "afl", "--", f"{binary}.afl", cwd=here,
        env=os.environ | {"AFL_KEEP_TRACES": "1", "AFL_ALLOW_TMP": "1"},
    )  # fmt: skip
    if (here / "afl" / ".traces").is_dir():
        traces = read_corpus([here / "afl"])
        start = time.process_time()
        found = choose(traces, target=1.0)
        row["afl-cmin"] = (*size(here / "afl"), round(took, 1))
        row["ours, tuples"] = (
            len(found.tests), round(found.bound), round(time.process_time() - start, 1),
        )  # fmt: skip
    else:
        row["afl-cmin"] = said[-300:]
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--seconds", type=int, default=40)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("names", nargs="*", default=list(TARGETS))
    asked = parser.parse_args()
    for name in asked.names:
        build(asked.work, name)
        fuzz(asked.work, name, asked.seconds, asked.seeds)
        print(json.dumps(compare(asked.work, name)), flush=True)


if __name__ == "__main__":
    main()
