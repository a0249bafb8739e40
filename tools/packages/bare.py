"""Installs the packages of a folder in bare Debian roots without Rust, and times the way to the first notes that a hook
delivers: `bare.py ROOTS [PACKAGES UV]`.

ROOTS keeps the roots for the next time; without PACKAGES they are only made, by root with debootstrap. PACKAGES has the
packages, UV is the program uv. Each way has a root of its own. It is gone through with the machine's network and
without any; what a package would fetch fails then. The times begin when the package has been downloaded.
"""

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LIMIT = 10.0
NOTE = "canary-7741: prices are integers, in cents"
# What a root of somebody who uses such a tool has; Debian's own programs.
TOOLS = ["python3", "python3-venv", "nodejs", "npm"]

# Root, what installs the package, and how the program is started then.
WAYS = {
    "`uvx`, the wheel": ("tools", "true", "uvx --offline --no-python-downloads --from /packages/*.whl waynote"),
    "`pip`, the wheel": (
        "tools",
        "python3 -m venv /opt/waynote && /opt/waynote/bin/pip install --quiet --no-index /packages/*.whl",
        "/opt/waynote/bin/waynote",
    ),
    "`npx`, both packages": (
        "tools",
        "true",
        "npx --yes --offline $(printf -- '--package %s ' /packages/*.tgz) -- waynote",
    ),
    "`dpkg`, the Debian package": ("base", "dpkg --install /packages/*.deb", "waynote"),
    "the tar": ("base", "tar -xzf /packages/*linux-gnu.tar.gz -C /opt --strip-components=1", "/opt/waynote"),
}


def bare(roots: Path) -> None:
    """Makes the two roots, unless they are there."""
    if os.geteuid() != 0:
        raise SystemExit("this needs root")
    base, tools = roots / "base", roots / "tools"
    if not (base / "ready").exists():
        shutil.rmtree(base, ignore_errors=True)
        base.mkdir(parents=True)
        quiet("debootstrap", "--variant=minbase", "bookworm", base)
        (base / "ready").touch()
    if not (tools / "ready").exists():
        shutil.rmtree(tools, ignore_errors=True)
        quiet("cp", "-a", base, tools)
        (tools / "ready").unlink()
        quiet("chroot", tools, "apt-get", "install", "--yes", "--quiet", "--no-install-recommends", *TOOLS)
        (tools / "ready").touch()


def quiet(*words: object) -> None:
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{words[0]}: {(done.stderr or done.stdout).strip()}")


class Root:
    """A copy of a root, with the packages in it."""

    def __init__(self, root: Path, packages: Path, uv: Path, network: bool) -> None:
        self.root = root
        self.enter = ["unshare", "--mount", "--pid", "--fork", "--mount-proc=" + str(root / "proc")]
        self.enter += [] if network else ["--net"]
        shutil.copytree(packages, root / "packages")
        for name in ("uv", "uvx"):
            shutil.copy(uv.with_name(name), root / "usr/local/bin")
        (root / "root/shop").mkdir(parents=True)

    def run(self, line: str, given: str = "") -> tuple[str, float]:
        """The output of a line of the shell, and its seconds."""
        environment = {"HOME": "/root", "PATH": "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"}
        line = "cd /root/shop && " + line
        begin = time.monotonic()
        done = subprocess.run(
            [*self.enter, "chroot", str(self.root), "sh", "-c", line],
            env=environment,
            input=given,
            capture_output=True,
            text=True,
        )
        took = time.monotonic() - begin
        if done.returncode != 0:
            raise SystemExit(f"`{line}` failed: {done.stdout}{done.stderr}")
        return done.stdout, took


def way(root: Root, install: str, waynote: str) -> list[float]:
    """Seconds of the installation, of a note and of an agent set up, and of the hook that then delivers the note."""
    assert root.run("command -v cargo rustc cc || true")[0] == "", "the root is not bare"
    installed = root.run(install)[1]
    typed = root.run(f"{waynote} place write {shlex.quote(NOTE)}")[1]
    typed += root.run(f"{waynote} install claude-code")[1]
    settings = json.loads((root.root / "root/.claude/settings.json").read_text())
    hook = settings["hooks"]["SessionStart"][0]["hooks"][0]["command"]
    started = json.dumps({"session_id": "a", "cwd": "/root/shop", "source": "startup"})
    said, took = root.run(hook, started)
    assert NOTE in said, f"the hook said {said!r}"
    return [installed, typed, took]


def main() -> None:
    roots, *given = (Path(word).resolve() for word in sys.argv[1:])
    bare(roots)
    if not given:
        return
    packages, uv = given
    late = []
    print("| package | network | install | two commands | first hook | together |\n|---|---|---|---|---|---|")
    for name, (kind, install, waynote) in WAYS.items():
        for network in (True, False):
            with tempfile.TemporaryDirectory(dir=roots) as folder:
                copy = Path(folder) / "root"
                # Links: what is installed is new files, or replaces whole ones.
                subprocess.run(["cp", "-al", str(roots / kind), str(copy)], check=True)
                took = way(Root(copy, packages, uv, network), install, waynote)
            cells = " | ".join(f"{seconds:.2f} s" for seconds in [*took, sum(took)])
            print(f"| {name} | {'the usual' if network else 'none'} | {cells} |", flush=True)
            if sum(took) > LIMIT:
                late.append(name)
    if late:
        raise SystemExit(f"over {LIMIT:.0f} s: {', '.join(late)}")


main()
