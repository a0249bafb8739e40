"""The client with a real server. `WAYNOTE_PROGRAM=… python3 -m unittest discover -s clients/python/tests`"""

import json
import os
import re
import socket
import sys
import threading
import unittest
from pathlib import Path
from unittest import mock

HERE = Path(__file__).parent
ROOT = HERE.parent.parent.parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(ROOT / "clients")]

import generate  # noqa: E402
from serving import serving  # noqa: E402

from waynote import LOCAL, Client, WaynoteError, _keys, pages  # noqa: E402

DEPLOY = "agent:builder#deploy"


class WithServer(unittest.TestCase):
    def setUp(self):
        self.url = self.serve()
        self.client = Client(self.url)
        self.addCleanup(self.client.close)

    def serve(self, **options):
        served = serving(**options)
        url = served.__enter__()
        self.addCleanup(served.__exit__, None, None, None)
        return url

    def refused(self, call, *args, **kwargs):
        with self.assertRaises(WaynoteError) as caught:
            call(*args, **kwargs)
        return caught.exception

    def test_a_note_from_its_first_revision_to_its_last(self):
        client = self.client
        saved = client.save_note(DEPLOY, "run `make ship`", pinned=True, if_revision=0)
        self.assertEqual((saved["revision"], saved["pinned"], saved["author"]), (1, True, "agent:builder"))
        self.assertEqual(client.save_note(DEPLOY, "run `make`", if_revision=1)["revision"], 2)
        self.assertEqual(client.read_note(DEPLOY + "@1")["content"], "run `make ship`")
        self.assertEqual([each["revision"] for each in client.history(DEPLOY)["revisions"]], [2, 1])
        client.undo_note(DEPLOY)
        self.assertEqual(client.read_note(DEPLOY)["content"], "run `make ship`")
        self.assertIn("make ship", client.context(agent="builder", place="~/shop", budget=300)["text"])
        self.assertEqual([hit["address"] for hit in client.search("ship", kind="key")["hits"]], [DEPLOY])
        self.assertTrue(client.delete_note(DEPLOY)["deleted"])

    def test_an_error_says_what_failed_and_what_to_do(self):
        self.client.save_note(DEPLOY, "one")
        for call, kind, family, status in [
            (lambda: self.client.read_note("agent:builder#none"), "not_found", "not_found", 404),
            (lambda: self.client.save_note(DEPLOY, "two", if_revision=7), "conflict", "conflict", 412),
            (lambda: self.client.save_note(DEPLOY, "two", if_revision=0), "conflict", "conflict", 412),
            (lambda: self.client.save_note("agent:builder#A b", "x"), "invalid_key", "invalid", 400),
            (lambda: self.client.save_note(DEPLOY, "x" * 5000), "note_too_large", "limit", 422),
        ]:
            error = self.refused(call)
            self.assertEqual((error.kind, error.error_class, error.status), (kind, family, status))
            self.assertTrue(error.message)
            self.assertEqual(str(error), f"{error.message}; {error.advice}" if error.advice else error.message)
        conflict = self.refused(self.client.save_note, DEPLOY, "two", if_revision=7)
        self.assertEqual(conflict.problem["current"]["content"], "one")

    def test_every_operation_takes_the_example_of_the_document(self):
        document = json.loads(generate.DOCUMENT.read_text())
        values = {"address": DEPLOY, "session": "nightly", "q": "ship"}
        expected = {"beat": 409, "silence": 409}
        # A note comes before its changes.
        first = ["save_note", "undo_note", "apply"]
        last = ["delete_note"]

        def turn(name):
            return first.index(name) if name in first else len(first) + (1 + last.index(name) if name in last else 0)

        client = Client(*self.serve(token="--admin"))
        called = 0
        for of in sorted(generate.operations(document), key=lambda of: turn(of.name)):
            source = document["paths"][of.path][of.method.lower()]
            body = source.get("requestBody", {}).get("content", {}).get("application/json", {}).get("example", {})
            words = {name: values[name] for name, *_ in of.parts + of.required} | body
            try:
                answer = getattr(client, of.name)(**words)
            except WaynoteError as error:
                self.assertEqual(error.status, expected.get(of.name), f"{of.name}: {error}")
            else:
                self.assertEqual(answer is None, of.answer is None and not of.is_feed, of.name)
            called += 1
        client.close()
        self.assertEqual(called, len(generate.METHODS))

    def test_pages_and_values_that_need_escapes(self):
        addresses = [f"agent:a/b é?&=#k{number}" for number in range(5)]
        for address in addresses:
            self.client.save_note(address, "ä\u2028")
        found = pages(self.client.list_notes, scope="agent:a/b é?&=", limit=2)
        self.assertEqual([note["address"] for page in found for note in page["notes"]], addresses)
        self.assertEqual(self.client.read_note(addresses[0])["content"], "ä\u2028")

    def test_the_feed_goes_on_behind_an_id(self):
        self.client.save_note(DEPLOY, "one")
        feed = self.client.changes()
        self.client.save_note(DEPLOY, "two")
        self.client.add_entry("nightly", "tip", "use lld")
        first = next(feed)
        self.assertEqual((first.event, first.data["changed"]["revision"]), ("note", 2))
        feed.close()
        again = self.client.changes(after=first.id)
        self.assertEqual(next(again).data["changed"]["note"]["content"], "use lld")
        again.close()

    def test_a_connection_that_the_server_closed_is_replaced(self):
        self.client.save_note(DEPLOY, "one")
        kept = self.client._kept.connection
        kept.sock.shutdown(2)
        self.assertEqual(self.client.save_note(DEPLOY, "two")["revision"], 2)
        self.assertIsNot(self.client._kept.connection, kept)

    def test_a_server_that_starts_again_is_waited_for(self):
        address = socket.create_server(("127.0.0.1", 0))
        port = address.getsockname()[1]
        address.close()
        started = []
        # It starts after the first request has met nobody.
        sleep = mock.patch("waynote._http.time.sleep", lambda _: started or started.append(self.serve(port=port)))
        with sleep, Client(f"http://127.0.0.1:{port}/s/default") as client:
            self.assertEqual(client.save_note(DEPLOY, "one")["revision"], 1)

    def test_threads_share_a_client(self):
        def save(number):
            for each in range(20):
                self.client.save_note(f"agent:builder#k{number}", str(each))
            self.client.close()

        threads = [threading.Thread(target=save, args=[number]) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([note["revision"] for note in self.client.list_notes(kind="agent")["notes"]], [20] * 4)

    def test_a_token_is_sent(self):
        url, token = self.serve(token="--write")
        with Client(url) as client:
            self.assertEqual(self.refused(client.list_notes).status, 401)
        with mock.patch.dict(os.environ, {"WAYNOTE_STORE": url, "WAYNOTE_TOKEN": token}):
            client = Client.from_env()
        with client:
            self.assertEqual(client.save_note(DEPLOY, "one")["author"], "test")

    def test_the_tools_of_the_mcp_endpoint(self):
        text, is_error = self.client.call_tool("note_save", {"key": "deploy", "content": "x"}, agent="builder")
        self.assertFalse(is_error, text)
        text, is_error = self.client.call_tool("note_show", {"key": "none"}, agent="builder")
        self.assertTrue(is_error, text)

    def test_the_examples_of_the_documentation(self):
        text = (ROOT / "docs/languages.md").read_text()
        blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
        self.assertGreater(len(blocks), 1)
        for block in blocks:
            if "langgraph" in block or "anthropic" in block:
                continue
            exec(block.replace("Client()", f"Client({self.url!r})"), {"print": lambda *_: None})
        self.assertEqual(self.client.read_note(DEPLOY)["content"], "run `make ship`")


class WithoutServer(unittest.TestCase):
    def test_addresses(self):
        for url, holds in [
            ("http://notes.example/s/team", "use https://"),
            ("https://notes.example", "is no address of a store"),
            ("/srv/notes.db", "is no address of a store"),
            ("https://ann:secret@notes.example/s/team", "^an address of a store has no name, password"),
        ]:
            with self.assertRaisesRegex(ValueError, holds):
                Client(url)
        self.assertEqual(Client("https://notes.example:8443/s/team/").url, "https://notes.example:8443/s/team")

    def test_the_environment_is_read_only_if_asked(self):
        for variables, url in [
            ({}, LOCAL),
            ({"WAYNOTE_STORE": "~/notes.db"}, LOCAL),
            ({"WAYNOTE_STORE": "https://a/s/b"}, "https://a/s/b"),
            ({"WAYNOTE_STORE": "https://a/s/b", "WAYNOTE_URL": "https://c/s/d"}, "https://c/s/d"),
        ]:
            with mock.patch.dict(os.environ, variables, clear=True):
                self.assertEqual((Client.from_env().url, Client().url), (url, LOCAL))

    def test_a_server_that_is_not_there(self):
        with self.assertRaises(WaynoteError) as caught:
            Client("http://127.0.0.1:9/s/default", wait=0).list_notes()
        self.assertEqual((caught.exception.kind, caught.exception.error_class), ("unreachable", "unreachable"))
        self.assertIn("waynote serve", str(caught.exception))

    def test_keys_and_namespaces_come_back(self):
        for key in ["deploy", "x-ray", "Ann Lee", "a.b/c#d@3", "k" * 65, "", "ключ", "6f1c-aa"]:
            for value in [{"a": [1, None, "ü"]}, "text", {"key": key, "value": 1}]:
                note_key = _keys.note_key(key)
                self.assertRegex(note_key, "^[a-z0-9][a-z0-9_-]{0,63}$")
                self.assertEqual(_keys.key_and_value(note_key, _keys.content(key, value)), (key, value))
        for labels in [(), ("users", "ann"), ("a/b#c@3", "ü=2E ", "="), ("\n",)]:
            scope = _keys.scope(_keys.agent_name("langgraph", labels))
            self.assertEqual(_keys.labels("langgraph", scope), labels)
        for scope in ["agent:langgraphs.a", "agent:builder", "place:~", "session:langgraph.a"]:
            self.assertIsNone(_keys.labels("langgraph", scope))

    def test_the_generated_files_are_up_to_date(self):
        for file, text in generate.files().items():
            self.assertEqual(file.read_text(), text, f"{file.name}: run `python3 clients/generate.py`")


if __name__ == "__main__":
    unittest.main()
