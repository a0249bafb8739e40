#!/usr/bin/env python3
"""Writes agent.txt: the functions that `waynote mcp` runs, for the linker to put next to each other in a release.

The kernel maps 64 KB of a program around each function that is called. Spread over the file, the functions of a server
for an agent took up 12 MB of memory; side by side they take 5. A function that is not in the list costs memory, nothing
else, so the list need not be made again for every change.

Needs valgrind and nm (Debian: valgrind, binutils), and a program of the profile `dist` with its symbols:

    cargo rustc --profile dist -p waynote-cli --bin waynote -- -C strip=none
    tools/layout/make.py target/dist/waynote
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
TOOLS = [
    ("note_save", lambda n: {"key": f"key-{n % 90}", "content": f"fact {n}: the cache needs {n % 7} more care. " * 9}),
    ("note_save", lambda n: {"place": "src/pay", "content": f"amounts are in cents, see `src/pay/x.rs:1-{n}`"}),
    ("note_search", lambda n: {"query": f"cache care {n % 7}"}),
    ("note_search", lambda n: {"query": f"nothing-{n}"}),
    ("note_show", lambda n: {"address": f"key-{n % 90}"}),
    ("note_show", lambda n: {"address": f"nothing-{n}"}),
    ("note_list", lambda n: {}),
    ("note_context", lambda n: {}),
    ("note_pin", lambda n: {"address": "key-1", "pin": n % 2 == 0}),
    ("note_confirm", lambda n: {"address": "key-2"}),
    ("note_delete", lambda n: {"address": f"key-{n % 30}"}),
]


def ran(program, home):
    """The functions that two sessions run, by their symbols: the first makes a store, the second finds one."""
    (home / "project").mkdir()
    return session(program, home, "2025-06-18", 400) | session(program, home, "2025-11-25", 200)


def session(program, home, version, calls):
    """The functions that a session runs, by their symbols."""
    out = home / "callgrind"
    valgrind = ["valgrind", "--tool=callgrind", "--demangle=no", f"--callgrind-out-file={out}"]
    server = subprocess.Popen(
        [*valgrind, program, "--store", home / "notes.db", "mcp"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        env={"HOME": str(home), "PATH": os.environ["PATH"]}, cwd=home / "project", text=True,
    )

    def ask(number, method, params):
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        server.stdin.write(json.dumps(message) + "\n")
        server.stdin.flush()
        while json.loads(server.stdout.readline()).get("id") != number:
            pass

    client = {"name": "layout", "version": "1"}
    ask(0, "initialize", {"protocolVersion": version, "capabilities": {}, "clientInfo": client})
    server.stdin.write(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}) + "\n")
    ask(1, "tools/list", {})
    for number in range(2, 2 + calls):
        name, arguments = TOOLS[number % len(TOOLS)]
        ask(number, "tools/call", {"name": name, "arguments": arguments(number)})
    server.stdin.close()
    server.wait()
    names, found, ours = {}, set(), False
    files = {}
    for line in out.read_text().splitlines():
        if match := re.match(r"(c?)ob=\((\d+)\)(?: (.*))?$", line):
            files.setdefault(match[2], match[3])
            ours = files[match[2]] == os.path.realpath(program) if not match[1] else ours
        elif match := re.match(r"(c?)fn=\((\d+)\)(?: (.*))?$", line):
            names.setdefault(match[2], match[3])
            if ours and not match[1]:
                found.add(match[2])
    return {re.sub(r"'\d+$", "", names[number]) for number in found}


def pattern(symbol):
    """The symbol without the hash of its compilation."""
    return re.sub(r"17h[0-9a-f]{16}E.*", "17h*", symbol)


def main():
    program = os.path.realpath(sys.argv[1])
    listed = subprocess.run(["nm", "--print-size", program], capture_output=True, text=True, check=True).stdout
    symbols = [line.split() for line in listed.splitlines()]
    sizes = {symbol[3]: int(symbol[1], 16) for symbol in symbols if len(symbol) == 4 and symbol[2] in "tT"}
    with tempfile.TemporaryDirectory() as folder:
        found = ran(program, pathlib.Path(folder)) & sizes.keys()
    hot, all_ = {}, {}
    for symbol, size in sizes.items():
        all_[pattern(symbol)] = all_.get(pattern(symbol), 0) + size
        if symbol in found:
            hot[pattern(symbol)] = hot.get(pattern(symbol), 0) + size
    # Names that many functions share, of which few ran, come last.
    order = sorted(hot, key=lambda name: (all_[name] > 3 * hot[name] + 256, name))
    (HERE / "agent.txt").write_text("".join(f"{name}\n" for name in order))
    print(f"{len(order)} names, {sum(hot.values()) // 1024} KB of {sum(sizes.values()) // 1024}")


main()
