"""A key-value store for LangChain in a notebook of a waynote server. Needs `langchain-core`."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any, Iterator, Optional, Sequence

from langchain_core.stores import BaseStore

from . import _keys
from ._http import pages
from .api import Change, Client, Note


class WaynoteKeyValueStore(BaseStore[str, Any]):
    """A LangChain store: keys of any text, values of JSON, in the notebook of one agent.

    A value that holds a credential is refused. A value has up to 1 MiB of JSON, the store up to 10,000 keys.

    :param client: The waynote store.
    :param agent: The agent whose notebook it is. It should hold nothing else.
    """

    def __init__(self, client: Client, *, agent: str = "langchain") -> None:
        self._client = client
        self._scope, self._author = _keys.scope(agent), f"agent:{agent}"

    def mget(self, keys: Sequence[str]) -> list[Optional[Any]]:
        asked = list(dict.fromkeys(self._address(key) for key in keys))
        notes = self._client.read(notes=asked)["notes"] if asked else []
        found = dict(zip(asked, notes))
        return [self._pair(note)[1] if note else None for note in (found[self._address(key)] for key in keys)]

    def mset(self, key_value_pairs: Sequence[tuple[str, Any]]) -> None:
        self._apply(
            [
                {"save": {"address": self._address(key), "content": _keys.content(key, value), "limits": _keys.LIMITS}}
                for key, value in dict(key_value_pairs).items()
            ]
        )

    def mdelete(self, keys: Sequence[str]) -> None:
        self._apply([{"delete": {"address": self._address(key)}} for key in dict.fromkeys(keys)])

    def yield_keys(self, *, prefix: Optional[str] = None) -> Iterator[str]:
        for page in pages(self._client.list_notes, scope=self._scope, limit=500):
            for note in page["notes"]:
                key, _ = self._pair(note)
                if key.startswith(prefix or ""):
                    yield key

    def _address(self, key: str) -> str:
        return f"{self._scope}#{_keys.note_key(key)}"

    def _pair(self, note: Note) -> tuple[str, Any]:
        return _keys.key_and_value(note["address"].rsplit("#", 1)[1], note["content"])

    def _apply(self, changes: list[Change]) -> None:
        if changes:
            now = datetime.now(timezone.utc).isoformat().replace("+00:00", "Z")
            self._client.apply(changes, {"author": self._author, "now": now})
