"""The way to a server: requests, answers, errors. The methods of the API are in `api.py`."""

from __future__ import annotations

import http.client
import json
import os
import socket
import ssl
import threading
import time
import uuid
from typing import Any, Callable, Iterator, Mapping, NamedTuple, Optional, TypeVar
from urllib.parse import quote, urlencode, urlsplit

LOCAL = "http://127.0.0.1:7467/s/default"
"""The store that `waynote serve` serves on this machine."""


class WaynoteError(Exception):
    """A request that failed.

    `kind` is a stable word, such as `not_found`, and `error_class` its family: `invalid`, `not_found`, `conflict`,
    `refused`, `limit`, `blocked`, `damaged`, `busy`, `unreachable`, `denied`. `message` says what failed and why,
    `advice` what to do. `status` is the HTTP status, `problem` the whole answer: after a conflict, its `current` is the
    note as it is now.
    """

    def __init__(
        self, kind: str, message: str, advice: Optional[str] = None, problem: Optional[Mapping[str, Any]] = None
    ) -> None:
        super().__init__(f"{message}; {advice}" if advice else message)
        self.problem = dict(problem or {})
        self.kind = kind
        self.error_class: Optional[str] = self.problem.get("class", "unreachable" if kind == "unreachable" else None)
        self.message = message
        self.advice = advice
        self.status: Optional[int] = self.problem.get("status")


SOON = 1.0
"""Seconds after which a request may be made again that came too soon after others."""

FINAL = (socket.timeout, socket.gaierror, ssl.SSLError)
"""Failures of a connection that another one would have too."""


class FeedMessage(NamedTuple):
    """One thing of the feed of changes."""

    id: str
    """The place in the feed: `changes(after=id)` goes on behind it."""
    event: str
    """`note`, `event`, `forgotten`; or `reset` if the store has another history now."""
    data: Any
    """A `FeedEntry`."""


def part(text: str) -> str:
    """One part of a path."""
    return quote(text, safe="")


Found = TypeVar("Found")


def pages(method: Callable[..., Found], *args: Any, **kwargs: Any) -> Iterator[Found]:
    """The pages of a list, one after another: `for page in pages(client.list_notes, kind="agent")`."""
    cursor: Optional[str] = None
    while True:
        page: Any = method(*args, cursor=cursor, **kwargs)
        yield page
        cursor = page.get("next")
        if cursor is None:
            return


class Transport:
    """A store on a server.

    Any thread may use it: each has a connection of its own, which stays open.

    :param url: The address of the store, as `waynote serve` prints it: `https://notes.example/s/team`.
    :param token: The token, `wn_…`, if the store has tokens.
    :param timeout: Seconds to wait for an answer.
    :param wait: Seconds to wait for a server that starts again, if the request can be made again.
    :param context: Certificates to trust; without it, those of the system.
    """

    def __init__(
        self,
        url: str = LOCAL,
        token: Optional[str] = None,
        *,
        timeout: float = 60,
        wait: float = 5,
        context: Optional[ssl.SSLContext] = None,
    ) -> None:
        parts = urlsplit(url)
        host = parts.hostname or ""
        if parts.username is not None or parts.query or parts.fragment:
            raise ValueError("an address of a store has no name, password or query: give the token by itself")
        if parts.scheme not in ("http", "https") or not host or "/s/" not in parts.path:
            raise ValueError(f"{url} is no address of a store: it is https://HOST/s/NAME")
        if parts.scheme == "http" and host != "localhost" and host != "::1" and not host.startswith("127."):
            raise ValueError(f"{url} is not on this machine, so notes could be read on the way: use https://")
        self.url = url.rstrip("/")
        self._is_tls = parts.scheme == "https"
        self._host, self._port = host, parts.port
        self._path = parts.path.rstrip("/")
        self._token = token
        self._timeout, self._wait = timeout, wait
        self._context = (context or ssl.create_default_context()) if self._is_tls else None
        self._kept = threading.local()

    @classmethod
    def from_env(cls: type[Self], **more: Any) -> Self:
        """The store that `WAYNOTE_URL` names, with the token in `WAYNOTE_TOKEN`.

        Without `WAYNOTE_URL`, `WAYNOTE_STORE` counts if it is a URL, then the server of this machine.
        """
        store = os.environ.get("WAYNOTE_STORE", "")
        url = os.environ.get("WAYNOTE_URL") or (store if "://" in store else LOCAL)
        return cls(url, os.environ.get("WAYNOTE_TOKEN") or None, **more)

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes this thread's connection. The next call opens another."""
        kept = getattr(self._kept, "connection", None)
        self._kept.connection = None
        if kept is not None:
            kept.close()

    def call_tool(self, tool: str, arguments: Mapping[str, Any], **caller: str) -> tuple[str, bool]:
        """Calls a tool of the server's MCP endpoint: its text, and whether it is an error.

        :param caller: Who calls, as parameters of the URL: `agent`, `place`, `session`, `tools` …
        """
        call = {"name": tool, "arguments": arguments}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
        query = f"?{urlencode(caller)}" if caller else ""
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        answer = self._exchange("POST", f"{self._path}/mcp{query}", json.dumps(message).encode(), headers, False)
        if "error" in answer:
            raise WaynoteError("refused", str(answer["error"]["message"]))
        texts = [part["text"] for part in answer["result"]["content"] if part["type"] == "text"]
        return "\n".join(texts), bool(answer["result"].get("isError"))

    def _call(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Mapping[str, Any]] = None,
        body: Optional[Mapping[str, Any]] = None,
        if_revision: Optional[int] = None,
        idempotency_key: Optional[str] = None,
        may_repeat: bool = False,
    ) -> Any:
        headers = {"Accept": "application/json"}
        if if_revision is not None:
            name, tag = ("If-Match", f'"{if_revision}"') if if_revision else ("If-None-Match", "*")
            headers[name] = tag
        if may_repeat:
            # The server carries out equal keys once, so a lost answer can be asked for again.
            headers["Idempotency-Key"] = idempotency_key or str(uuid.uuid4())
        data = None
        if body is not None:
            data = json.dumps({name: value for name, value in body.items() if value is not None}).encode()
            headers["Content-Type"] = "application/json"
        return self._exchange(method, self._target(path, query), data, headers, may_repeat or method == "GET")

    def _target(self, path: str, query: Optional[Mapping[str, Any]]) -> str:
        given = {name: value for name, value in (query or {}).items() if value is not None}
        # As JSON has them: `true`.
        words = urlencode(
            {name: str(value).lower() if isinstance(value, bool) else value for name, value in given.items()}
        )
        return f"{self._path}/api/v1{path}" + (f"?{words}" if words else "")

    def _exchange(self, method: str, path: str, data: Optional[bytes], headers: dict[str, str], again: bool) -> Any:
        """The answer to a request. It is made again if it came too soon after others, or met no server.

        :param again: Whether it may be made again although the server may have got it.
        """
        begin, pause = time.monotonic(), 0.0
        while True:
            try:
                return self._once(method, path, data, headers, again)
            except WaynoteError as error:
                if error.status != 429 or time.monotonic() + SOON > begin + self._timeout:
                    raise
                time.sleep(SOON)
            except (OSError, http.client.HTTPException) as error:
                self.close()
                may_repeat = (again and not isinstance(error, FINAL)) or isinstance(error, ConnectionRefusedError)
                if not may_repeat or (pause and time.monotonic() + pause > begin + self._wait):
                    raise self._lost(error, again) from error
                # A kept connection that the server has closed is replaced at once.
                time.sleep(pause)
                pause = min(pause * 2, 1) or 0.05

    def _once(self, method: str, path: str, data: Optional[bytes], headers: dict[str, str], again: bool) -> Any:
        if not again:
            # On a kept connection, nobody could tell whether the server has got it.
            self.close()
        connection = getattr(self._kept, "connection", None) or self._connection()
        self._kept.connection = connection
        answer = self._ask(connection, method, path, data, headers)
        text = answer.read()
        if answer.will_close:
            self.close()
        if answer.status >= 300:
            raise self._problem(answer, text)
        return json.loads(text) if text else None

    def _ask(
        self,
        connection: http.client.HTTPConnection,
        method: str,
        path: str,
        data: Optional[bytes],
        headers: dict[str, str],
    ) -> http.client.HTTPResponse:
        if self._token:
            headers = {**headers, "Authorization": f"Bearer {self._token}"}
        connection.request(method, path, data, headers)
        return connection.getresponse()

    def _connection(self) -> http.client.HTTPConnection:
        if self._is_tls:
            return http.client.HTTPSConnection(self._host, self._port, timeout=self._timeout, context=self._context)
        return http.client.HTTPConnection(self._host, self._port, timeout=self._timeout)

    def _lost(self, error: Exception, again: bool = True) -> WaynoteError:
        reason = str(error) or type(error).__name__
        if again or isinstance(error, ConnectionRefusedError):
            advice = "see whether the server runs: `waynote serve` starts one"
        else:
            advice = "it may have been carried out: look before you send it again"
        return WaynoteError("unreachable", f"{self.url} did not answer: {reason}", advice)

    def _problem(self, answer: http.client.HTTPResponse, text: bytes) -> WaynoteError:
        try:
            problem = json.loads(text)
            if "error" in problem:
                # The MCP endpoint.
                return WaynoteError("refused", problem["error"]["message"], None, {"status": answer.status})
            return WaynoteError(problem["kind"], problem["detail"], problem.get("hint"), problem)
        except (ValueError, KeyError, TypeError):
            said = f"{self.url} answered {answer.status} {answer.reason}, and not as a waynote server does"
            return WaynoteError("unreachable", said, "check the address", {"status": answer.status})

    def _feed(self, method: str, path: str, *, query: Mapping[str, Any]) -> Iterator[FeedMessage]:
        connection = self._connection()
        try:
            answer = self._ask(connection, method, self._target(path, query), None, {"Accept": "text/event-stream"})
            if answer.status >= 300:
                raise self._problem(answer, answer.read())
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise self._lost(error) from error
        return self._messages(connection, answer)

    def _messages(
        self, connection: http.client.HTTPConnection, answer: http.client.HTTPResponse
    ) -> Iterator[FeedMessage]:
        fields: dict[str, str] = {}
        try:
            for line in answer:
                name, _, value = line.decode().rstrip("\r\n").partition(":")
                if name:
                    fields[name] = value.lstrip(" ")
                elif "event" in fields:
                    yield FeedMessage(fields.get("id", ""), fields["event"], json.loads(fields.get("data") or "null"))
                    fields = {}
        except (OSError, http.client.HTTPException) as error:
            raise self._lost(error) from error
        finally:
            connection.close()


Self = TypeVar("Self", bound=Transport)
