"""No framework is imported unless its adapter is; without it, the error has the command."""

import subprocess
import sys

import pytest

ADAPTERS = {
    "langchain": "langchain_core",
    "llama_index": "llama_index.core",
    "haystack": "haystack",
}


def run(program):
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )


def test_packing_imports_no_framework():
    program = (
        "import sys, maxcover as mc, maxcover.integrations; mc.pack(['One cat.'], budget=9); "
        "print(*sorted({name.split('.')[0] for name in sys.modules}))"
    )
    loaded = set(run(program).stdout.split())
    assert not loaded & {"langchain_core", "llama_index", "haystack", "tiktoken", "tokenizers"}


@pytest.mark.parametrize(("adapter", "package"), ADAPTERS.items())
def test_a_missing_framework_is_named_with_its_command(adapter, package):
    program = (
        f"import sys; sys.modules['{package}'] = None\n"
        "try:\n"
        f"    import maxcover.integrations.{adapter}\n"
        "except ImportError as error:\n"
        "    print(type(error).__name__, error)"
    )
    said = run(program).stdout
    assert said.startswith("MissingExtraError")
    assert f"pip install 'maxcover[{adapter.replace('_', '-')}]'" in said
