"""Checks the types, and runs the test suites of the libraries that waynote has adapters for, with a waynote server
behind them.

    WAYNOTE_PROGRAM=target/debug/waynote python3 clients/python/tests/suites.py FOLDER

A suite comes from the library's source package on PyPI, into FOLDER. Its own store is replaced by waynote's, and
nothing else. The cases that are left out are below, each with its reason.
"""

import asyncio
import contextlib
import importlib
import itertools
import os
import re
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from serving import serving

from waynote import Client

HERE = Path(__file__).parent
OPTIONS = [
    "-q",
    "--no-header",
    "-p",
    "no:cacheprovider",
    "-o",
    "asyncio_mode=auto",
    "-o",
    "asyncio_default_fixture_loop_scope=function",
    "--import-mode=importlib",
]
OPTIONS += ["-c", str(HERE / "pytest.ini")]

EMBEDDINGS = "waynote ranks by words: it has no embeddings"
OWN_PARTS = "it tests functions inside the library's own store"
FILES = "it looks at files on a disk: their modes, links and races"
NO_STORE = "it uses no store"
LOOP = "waynote's store may be called where an event loop runs"
SIZE = "a file of a million lines is larger than a note can be"
WORDS = "its words before the changed lines differ: waynote has those of Anthropic's page"
LAST_LINE = "waynote neither adds a line break at the end of a file nor shows an empty line behind it"


# Counts the stores that the cases make.
MADE = itertools.count()


class Tally:
    """Counts the cases, and leaves some out."""

    def __init__(self, left_out, replaced):
        self.left_out, self.replaced = left_out, replaced
        self.passed, self.failed, self.skipped = 0, [], {}

    def pytest_collection_modifyitems(self, items):
        kept = []
        for item in items:
            vars(item.module).update(self.replaced)
            reason = next((why for names, why in self.left_out.items() if re.search(names, item.nodeid)), None)
            if reason:
                self.skipped[reason] = self.skipped.get(reason, 0) + 1
            else:
                kept.append(item)
        items[:] = kept

    def pytest_runtest_setup(self, item):
        self.before = next(MADE)

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.failed.append(report.nodeid.rsplit("::", 1)[-1])
        elif report.when == "call" and report.passed:
            if next(MADE) == self.before + 1:
                self.skipped[NO_STORE] = self.skipped.get(NO_STORE, 0) + 1
            else:
                self.passed += 1


def langgraph(url):
    """The store in memory, and those of SQLite, become waynote's; each new one is empty."""
    import langgraph.store.memory
    import langgraph.store.sqlite
    import langgraph.store.sqlite.aio

    from waynote.langgraph import WaynoteStore

    class Store(WaynoteStore):
        def __init__(self, *, index=None):
            super().__init__(Client(url), root=f"suite{next(MADE)}")

        def setup(self):
            pass

        @classmethod
        @contextlib.contextmanager
        def from_conn_string(cls, conn_string, **kwargs):
            yield cls()

    class AsyncStore(Store):
        async def setup(self):
            pass

        @classmethod
        @contextlib.asynccontextmanager
        async def from_conn_string(cls, conn_string, **kwargs):
            yield cls()

        async def __aenter__(self):
            return self

        async def __aexit__(self, *error):
            pass

    langgraph.store.memory.InMemoryStore = Store
    langgraph.store.sqlite.SqliteStore = Store
    langgraph.store.sqlite.AsyncSqliteStore = langgraph.store.sqlite.aio.AsyncSqliteStore = AsyncStore
    return {"new_store": Store, "url": url}


class Folder:
    """The folder of the files, as the SDK's tests use it, over notes."""

    def __init__(self, client, agent, name="", is_async=False):
        self.client, self.agent, self.name, self.is_async = client, agent, name, is_async

    def __truediv__(self, name):
        return Folder(self.client, self.agent, name)

    def is_dir(self):
        # A folder is there while there are files below it, and the first one always.
        return asyncio.sleep(0, True) if self.is_async else True

    def address(self):
        return f"place:/memories/{self.agent}/{self.name}"

    def write_bytes(self, data):
        self.client.save_note(self.address(), data.decode())

    def read_bytes(self):
        return self.client.read_note(self.address())["content"].encode()


def anthropic(url):
    """The SDK's memory tools on files become waynote's; the folder that a test looks at is an agent."""
    tools = importlib.import_module("anthropic.lib.tools._beta_builtin_memory_tool")
    from waynote.memory_tool import WaynoteAsyncMemoryTool, WaynoteMemoryTool

    def made(kind):
        class Tool(kind):
            def __init__(self, base_path):
                next(MADE)
                self.base_path = base_path
                agent = Path(base_path).name
                self.memory_root = Folder(Client(url), agent, is_async=kind is WaynoteAsyncMemoryTool)
                super().__init__(Client(url), agent=agent)

        return Tool

    tools.BetaLocalFilesystemMemoryTool = made(WaynoteMemoryTool)
    tools.BetaAsyncLocalFilesystemMemoryTool = made(WaynoteAsyncMemoryTool)

    def snapshot(base_path):
        agent = Path(base_path).name
        notes = Client(url).list_notes(below=f"/memories/{agent}", limit=500)["notes"]
        first = f"place:/memories/{agent}/"
        return {"memories/" + note["address"][len(first) :]: note["content"] for note in notes}

    return {"get_directory_snapshot": snapshot}


def langchain(url):
    from waynote.langchain import WaynoteKeyValueStore

    return {"new_store": lambda: WaynoteKeyValueStore(Client(url), agent=f"suite{next(MADE)}")}


# The package of PyPI, the file in it, what replaces the library's own, and what is left out.
SUITES = [
    (
        "langgraph-checkpoint==4.3.2",
        "test_store.py",
        langgraph,
        {"vector|embed|non_ascii": EMBEDDINGS, "text_at_path|async_batch_store": OWN_PARTS},
    ),
    (
        "langgraph-checkpoint-sqlite==3.1.2",
        "test_store.py",
        langgraph,
        {
            "vector|embed|scores|non_ascii": EMBEDDINGS,
            "injection_vuln|migrations|glob_literal|match_pattern|indexable": OWN_PARTS,
        },
    ),
    (
        "langgraph-checkpoint-sqlite==3.1.2",
        "test_async_store.py",
        langgraph,
        {"vector|embed": EMBEDDINGS, "no_running_loop": LOOP},
    ),
    (
        "anthropic==2.14.0",
        "lib/tools/memory_tools/test_filesystem.py",
        anthropic,
        {
            "symlink|umask|validate_path_returns|Async.*crlf": FILES,
            "too_many_lines": SIZE,
            r"test_str_replace$": WORDS,
            r"test_insert$|insert_at|view_preserves_crlf": LAST_LINE,
        },
    ),
    ("waynote", HERE / "langgraph_suite.py", langgraph, {}),
    ("langchain-tests==1.1.9", HERE / "langchain_suite.py", langchain, {}),
]


def source(folder, package):
    """The tests of a package's source, from PyPI, as the importable folder `tests`."""
    name = package.replace("==", "-").replace("-", "[-_]")
    if not [*folder.glob(f"{name}.tar.gz")]:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:"]
        subprocess.run([*pip, "--dest", folder, package], check=True)
    [archive] = folder.glob(f"{name}.tar.gz")
    into = folder / package
    if not into.exists():
        with tarfile.open(archive) as files:
            top = archive.name[: -len(".tar.gz")] + "/"
            members = [each for each in files.getmembers() if each.isfile() and each.name.startswith(f"{top}tests/")]
            for each in members:
                path = into / each.name[len(top) :]
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(files.extractfile(each).read())
    return into


def run(url, folder, package, member, replace, left_out):
    counted = Tally(left_out, replace(url))
    if isinstance(member, Path):
        path, member = member, package
    else:
        into = source(folder, package)
        path = into / "tests" / member
        sys.path.insert(0, str(into))
        for name in [name for name in sys.modules if name.split(".")[0] == "tests"]:
            del sys.modules[name]
    pytest.main([*OPTIONS, f"--rootdir={path.parent}", "--noconftest", str(path)], plugins=[counted])
    print(f"{package} {path.name}: {counted.passed} passed, {len(counted.failed)} failed")
    for reason, number in counted.skipped.items():
        print(f"    {number} left out: {reason}")
    return counted.passed > 0 and not counted.failed


def typed(folder):
    """Checks the types of the package and of the documentation's examples."""
    text = (HERE.parent.parent.parent / "docs/languages.md").read_text()
    files = [HERE.parent / "waynote"]
    for number, block in enumerate(re.findall(r"```python\n(.*?)```", text, re.DOTALL)):
        files.append(folder / f"example{number}.py")
        files[-1].write_text(block)
    mypy = [sys.executable, "-m", "mypy", "--strict", "--python-version", "3.10", "--cache-dir", folder / "mypy"]
    return subprocess.run([*mypy, *files], env={**os.environ, "MYPYPATH": str(HERE.parent)}).returncode == 0


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    with serving() as url:
        good = [typed(folder), *(run(url, folder, *suite) for suite in SUITES)]
    sys.exit(not all(good))


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute())
