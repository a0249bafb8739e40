"""A store for LangGraph over the notebooks of a waynote server. Needs `langgraph-checkpoint` 4.3 or newer.

    from waynote import Client
    from waynote.langgraph import WaynoteStore

    store = WaynoteStore(Client())
    store.put(("users", "ann"), "food", {"text": "likes sourdough"})

The namespace `("users", "ann")` is the notebook of the agent `langgraph.users.ann`, a key is a key of it, and the value
is JSON in the note. So every value has a history, and `waynote undo` brings back what was deleted.
"""

from __future__ import annotations

import asyncio
import operator
from datetime import datetime, timezone
from typing import Any, Iterable, Iterator, Mapping, Optional, Union

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    validate_op_namespace,
)

from . import _keys
from .api import Change, Client, Note, Page

Namespace = tuple[str, ...]

TOGETHER = 30
"""Notebooks that are read by one request. It may have 64 pages, and pinned notes have pages of their own."""


class WaynoteStore(BaseStore):
    """A LangGraph store in the notebooks of a waynote server.

    `search` with a query finds notes by their words, the best match first; notes without a match fill the rest of
    `limit`, with no score. There are no embeddings and no times to live: `index` changes nothing, and `ttl` is refused.
    A value that holds a credential is refused. Namespaces have up to 200 bytes, values up to 1 MiB of JSON, and a
    namespace up to 10,000 keys.

    :param client: The waynote store.
    :param root: The first part of the agents' names. Nothing else in the waynote store is read or written.
    """

    __slots__ = ("_client", "_root")

    def __init__(self, client: Client, *, root: str = "langgraph") -> None:
        if not root or "." in root:
            raise ValueError("a root is one word without periods")
        self._client = client
        self._root = root

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Reads first, then writes: every reading sees the store as it was before. All writes happen, or none."""
        every = list(ops)
        for op in every:
            validate_op_namespace(op)
        results: list[Result] = [None] * len(every)
        gets = [(at, op) for at, op in enumerate(every) if isinstance(op, GetOp)]
        for (at, get), note in zip(gets, self._notes([op for _, op in gets])):
            results[at] = note and _item(get.namespace, note)
        lists = [op for op in every if isinstance(op, (SearchOp, ListNamespacesOp))]
        scopes = self._scopes() if lists else {}
        for at, op in enumerate(every):
            if isinstance(op, SearchOp):
                results[at] = self._search(op, scopes)
            elif isinstance(op, ListNamespacesOp):
                results[at] = _list(scopes, op)
        # Of several writes of one key, the last counts.
        puts = {(op.namespace, op.key): op for op in every if isinstance(op, PutOp)}
        if puts:
            now = datetime.now(timezone.utc).isoformat().replace("+00:00", "Z")
            changes = [self._change(op) for op in puts.values()]
            self._client.apply(changes, {"author": f"agent:{self._root}", "now": now})
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """As `batch`, in a thread."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _scope(self, namespace: Namespace) -> str:
        return _keys.scope(_keys.agent_name(self._root, namespace))

    def _address(self, op: Union[GetOp, PutOp]) -> str:
        return f"{self._scope(op.namespace)}#{_keys.note_key(op.key)}"

    def _notes(self, ops: list[GetOp]) -> list[Optional[Note]]:
        if not ops:
            return []
        addresses = [self._address(op) for op in ops]
        # An address that is asked for twice is answered once.
        asked = list(dict.fromkeys(addresses))
        found = dict(zip(asked, self._client.read(notes=asked)["notes"]))
        return [found[address] for address in addresses]

    def _scopes(self) -> dict[Namespace, str]:
        """The notebooks that have items, by their namespaces."""
        summaries = self._client.read(summaries=["agent"])["summaries"][0]
        found = {_keys.labels(self._root, each["scope"]): each["scope"] for each in summaries if each["notes"] > 0}
        return {namespace: scope for namespace, scope in found.items() if namespace is not None}

    def _change(self, op: PutOp) -> Change:
        address = self._address(op)
        if op.value is None:
            return {"delete": {"address": address}}
        text = _keys.content(op.key, dict(op.value))
        return {"save": {"address": address, "content": text, "limits": _keys.LIMITS}}

    def _search(self, op: SearchOp, all_scopes: dict[Namespace, str]) -> list[SearchItem]:
        prefix, wanted = tuple(op.namespace_prefix), op.offset + op.limit
        scopes = [scope for namespace, scope in all_scopes.items() if namespace[: len(prefix)] == prefix]
        # A filter is applied here, and may leave any of them out.
        limit = None if op.filter else wanted
        found: dict[str, SearchItem] = {}
        if op.query and scopes:
            hits = self._client.find(op.query, context=True, kinds=["key"], scopes=scopes, limit=limit)["hits"]
            self._keep(found, op, ((hit["note"], hit["score"]) for hit in hits))
        if len(found) < wanted:
            rest = sorted(self._latest(scopes, limit), key=lambda note: _time(note["updated_at"]), reverse=True)
            self._keep(found, op, ((note, None) for note in rest))
        return list(found.values())[op.offset : wanted]

    def _latest(self, scopes: list[str], limit: Optional[int]) -> Iterator[Note]:
        """The latest notes of each notebook."""
        for first in range(0, len(scopes), TOGETHER):
            pages: list[Page] = [
                {"of": {"keyed": {"scope": scope, "pinned": pinned}}, "limit": limit}
                for scope in scopes[first : first + TOGETHER]
                for pinned in (True, False)
            ]
            for notes in self._client.read(pages=pages)["pages"]:
                yield from notes

    def _keep(self, found: dict[str, SearchItem], op: SearchOp, notes: Iterable[tuple[Note, Optional[float]]]) -> None:
        for note, score in notes:
            namespace = _keys.labels(self._root, note["address"])
            if namespace is None or note["address"] in found:
                continue
            item = _item(namespace, note)
            if all(_fits(_field(item.value, name), wanted) for name, wanted in (op.filter or {}).items()):
                found[note["address"]] = SearchItem(
                    item.namespace, item.key, item.value, item.created_at, item.updated_at, score
                )


def _item(namespace: Namespace, note: Note) -> Item:
    key, value = _keys.key_and_value(note["address"].rsplit("#", 1)[1], note["content"])
    # A person may write a note in plain words.
    value = value if isinstance(value, dict) else {"text": note["content"]}
    return Item(
        value=value,
        key=key,
        namespace=namespace,
        created_at=_time(note["created_at"]),
        updated_at=_time(note["updated_at"]),
    )


def _time(text: str) -> datetime:
    # Before Python 3.11, fractions have three or six digits.
    whole, _, fraction = text.rstrip("Z").partition(".")
    return datetime.fromisoformat(f"{whole}.{fraction[:6]:0<6}+00:00")


def _list(namespaces: Iterable[Namespace], op: ListNamespacesOp) -> list[Namespace]:
    matching = [
        each for each in namespaces if all(_matches(each, condition) for condition in op.match_conditions or ())
    ]
    if op.max_depth is not None:
        matching = [each[: op.max_depth] for each in matching]
    return sorted(set(matching))[op.offset : op.offset + op.limit]


def _matches(namespace: Namespace, condition: MatchCondition) -> bool:
    path = tuple(condition.path)
    if condition.match_type not in ("prefix", "suffix"):
        raise ValueError(f"Unsupported match type: {condition.match_type}")
    if len(path) > len(namespace):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return all(wanted in ("*", label) for wanted, label in zip(path, part))


_EQUAL = {"$eq": operator.eq, "$ne": operator.ne}
_ORDER = {"$gt": operator.gt, "$gte": operator.ge, "$lt": operator.lt, "$lte": operator.le}


def _field(value: Mapping[str, Any], name: str) -> Any:
    """A field, or one inside another by a path: `user.name`."""
    first, dot, rest = name.partition(".")
    inner = value.get(first)
    return _field(inner, rest) if dot and name not in value and isinstance(inner, Mapping) else value.get(name)


def _fits(value: Any, wanted: Any) -> bool:
    """Whether a value fits a filter, as in LangGraph's own store in memory."""
    if isinstance(wanted, Mapping):
        if any(str(name).startswith("$") for name in wanted):
            return all(_compared(value, name, other) for name, other in wanted.items())
        return isinstance(value, Mapping) and all(_fits(value.get(name), other) for name, other in wanted.items())
    if isinstance(wanted, (list, tuple)):
        is_list = isinstance(value, (list, tuple)) and len(value) == len(wanted)
        return is_list and all(_fits(one, other) for one, other in zip(value, wanted))
    return bool(value == wanted)


def _compared(value: Any, name: str, wanted: Any) -> bool:
    if name in _EQUAL:
        return bool(_EQUAL[name](value, wanted))
    if name in _ORDER:
        # An item without the field fits no order.
        return value is not None and bool(_ORDER[name](float(value), float(wanted)))
    raise ValueError(f"Unsupported operator: {name}")
