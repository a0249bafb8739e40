"""A server of an empty store, with a home of its own."""

import contextlib
import json
import os
import subprocess
import tempfile

PROGRAM = os.environ.get("WAYNOTE_PROGRAM", "waynote")


@contextlib.contextmanager
def serving(*, token=None, port=0):
    """The address of its store; with `token`, rights such as `--write`, also a token."""
    with tempfile.TemporaryDirectory() as home:
        environment = {"HOME": home, "PATH": os.environ["PATH"]}
        made = None
        if token:
            make = [PROGRAM, "token", "create", "test", token, "--json"]
            made = json.loads(subprocess.run(make, env=environment, check=True, capture_output=True, cwd=home).stdout)
        serve = [PROGRAM, "serve", "--listen", f"127.0.0.1:{port}", "--rate", "100000"]
        server = subprocess.Popen(
            serve, env=environment, cwd=home, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        try:
            server.stdout.readline()
            url = server.stdout.readline().strip()
            if not url:
                raise RuntimeError(f"{' '.join(serve)} did not start")
            yield (url, made["token"]) if made else url
        finally:
            server.terminate()
            server.wait()
            server.stdout.close()
