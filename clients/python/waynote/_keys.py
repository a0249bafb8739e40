"""Any key as the key of a notebook, and any namespace as the name of an agent; both ways, without loss."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any, Iterable, Optional
from urllib.parse import quote, unquote

from .api import Limits

LIMITS: Limits = {"max_bytes": 1 << 20, "max_notes": 10_000}
"""The most that a server allows. Without them, a notebook has 64 notes of 4 KB."""

_FITS = re.compile(r"(?!x-)[a-z0-9][a-z0-9_-]{0,63}\Z")


def note_key(key: str) -> str:
    """The key itself if it can be one, else one made of its hash. The content then has the key."""
    if _FITS.match(key):
        return key
    return "x-" + hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:60]


def content(key: str, value: Any) -> str:
    """The text of a note with this key and value."""
    whole = value if note_key(key) == key else {"key": key, "value": value}
    return json.dumps(whole, ensure_ascii=False, allow_nan=False)


def key_and_value(note_key: str, text: Any) -> tuple[str, Any]:
    """The key and the value of a note. A text that is no JSON is the value."""
    try:
        value = json.loads(text)
    except (TypeError, ValueError):
        return note_key, text
    if note_key.startswith("x-") and isinstance(value, dict) and value.keys() == {"key", "value"}:
        return value["key"], value["value"]
    return note_key, value


def scope(agent: str) -> str:
    """The scope of an agent's notebook, as an address begins."""
    return "agent:" + quote(agent, safe="")


def agent_name(root: str, labels: Iterable[str]) -> str:
    """The agent of a namespace: `langgraph.users.ann`. Blanks, control characters and `=` are escaped: `=20`."""
    return ".".join([root, *("".join(_escaped(char) for char in label) for label in labels)])


def _escaped(char: str) -> str:
    is_plain = char.isprintable() and char not in " ="
    return char if is_plain else "".join(f"={byte:02X}" for byte in char.encode())


def _plain(label: str) -> str:
    escapes = re.compile("(?:=[0-9A-F]{2})+")
    return escapes.sub(lambda found: bytes.fromhex(found[0].replace("=", "")).decode(), label)


def labels(root: str, address: str) -> Optional[tuple[str, ...]]:
    """The namespace of a scope or a note, if it is one below this root."""
    kind, _, name = address.partition("#")[0].partition(":")
    first, *rest = unquote(name).split(".")
    return tuple(_plain(label) for label in rest) if (kind, first) == ("agent", root) else None
