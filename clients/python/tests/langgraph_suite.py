"""Cases of waynote's own for the store for LangGraph. `url` comes from suites.py."""

import re
from pathlib import Path

import pytest

from waynote import Client, WaynoteError
from waynote.langgraph import WaynoteStore

DOCUMENTATION = Path(__file__).parent.parent.parent.parent / "docs/languages.md"


@pytest.fixture
def store():
    return new_store()  # noqa: F821


@pytest.fixture
def client():
    return Client(url)  # noqa: F821


def notebook(store, *labels):
    return ".".join([store._root, *labels])


def test_a_query_ranks_by_words_and_the_newest_fill_the_rest(store):
    for key, text in [("food", "likes sourdough"), ("old", "has a dog"), ("bread", "bakes sourdough bread")]:
        store.put(("users", "ann"), key, {"text": text, "kind": "fact"})
    store.put(("users", "bob"), "food", {"text": "sourdough"})
    found = store.search(("users", "ann"), query="which sourdough bread?", filter={"kind": "fact"})
    assert [item.key for item in found] == ["bread", "food", "old"]
    assert [item.score is not None for item in found] == [True, True, False]
    assert [item.key for item in store.search(("users", "ann"), query="bread", limit=1, offset=1)] == ["old"]


def test_an_item_is_a_note_with_a_history(store, client):
    store.put(("users", "ann@x y"), "food", {"text": "rye"})
    store.put(("users", "ann@x y"), "food", {"text": "sourdough"})
    address = f"agent:{notebook(store, 'users', 'ann%40x=20y')}#food"
    assert [each["revision"] for each in client.history(address)["revisions"]] == [2, 1]
    client.undo_note(address)
    assert store.get(("users", "ann@x y"), "food").value == {"text": "rye"}
    store.delete(("users", "ann@x y"), "food")
    client.undo_note(address)
    assert store.get(("users", "ann@x y"), "food") is not None


def test_a_note_of_a_person_is_an_item(store, client):
    client.save_note(f"agent:{notebook(store, 'users')}#house", "tests need `--no-cache`")
    assert store.get(("users",), "house").value == {"text": "tests need `--no-cache`"}
    assert store.list_namespaces() == [("users",)]


def test_keys_that_no_note_can_have(store):
    for key in ["Ann Lee", "x-ray", "k" * 70, "ключ"]:
        store.put(("users",), key, {"key": key})
        assert (store.get(("users",), key).key, store.get(("users",), key).value) == (key, {"key": key})
    assert {item.key for item in store.search(("users",))} == {"Ann Lee", "x-ray", "k" * 70, "ключ"}


def test_what_is_refused(store):
    for namespace, value, kind in [
        (("users",), {"token": "ghp_" + "a1B2c3D4e5F6" * 3}, "holds_secret"),
        (("u" * 300,), {}, "bad_request"),
        (("users",), {"text": "x" * (1 << 20)}, "note_too_large"),
    ]:
        with pytest.raises(WaynoteError) as caught:
            store.put(namespace, "key", value)
        assert caught.value.kind == kind
    with pytest.raises(NotImplementedError):
        store.put(("users",), "key", {}, ttl=5)
    with pytest.raises(ValueError):
        store.put(("users",), "key", {"number": float("nan")})
    assert store.search(()) == []


def test_many_namespaces(store):
    store.batch([])
    for number in range(70):
        store.put(("users", f"u{number}"), "k", {"number": number})
    assert len(store.search(("users",), limit=100)) == 70
    assert [item.value["number"] for item in store.search(("users",), limit=3)] == [69, 68, 67]


def test_the_examples_of_the_documentation(store):
    blocks = re.findall(r"```python\n(.*?)```", DOCUMENTATION.read_text(), re.DOTALL)
    [example] = [block for block in blocks if "waynote.langgraph" in block]
    shown = []
    exec(example.replace("Client()", f"Client({url!r})"), {"print": shown.append})  # noqa: F821
    assert [item.key for item in shown[0]] == ["food"]
