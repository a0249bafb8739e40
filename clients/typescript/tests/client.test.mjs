// The client with a real server: `WAYNOTE_PROGRAM=… node --test clients/typescript/tests/`. The compiler checks the types.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client, LOCAL, WaynoteError, pages } from "waynote";
import { memoryTool } from "waynote/memory-tool";

const here = fileURLToPath(new URL(".", import.meta.url));
const program = process.env.WAYNOTE_PROGRAM ?? "waynote";
const home = mkdtempSync(join(tmpdir(), "waynote-"));
const deploy = "agent:builder#deploy";
/** @type {import("node:child_process").ChildProcess} */
let server;
/** @type {Client} */
let client;

before(async () => {
  const environment = { HOME: home, PATH: process.env.PATH };
  const words = ["serve", "--listen", "127.0.0.1:0", "--rate", "100000"];
  server = spawn(program, words, { env: environment, cwd: home, stdio: ["ignore", "pipe", "ignore"] });
  assert(server.stdout);
  const lines = createInterface(server.stdout)[Symbol.asyncIterator]();
  await lines.next();
  client = new Client(String((await lines.next()).value).trim());
});

after(() => {
  server.kill();
  rmSync(home, { recursive: true });
});

/**
 * The error of a call that has to fail.
 * @param {Promise<unknown>} call
 */
async function refused(call) {
  const error = await call.then(
    () => assert.fail("it was not refused"),
    (error) => error,
  );
  assert(error instanceof WaynoteError, String(error));
  return error;
}

test("a note, from its first revision to its last", async () => {
  const saved = await client.saveNote(deploy, { content: "run `make ship`", pinned: true }, { if_revision: 0 });
  assert.deepEqual([saved.revision, saved.pinned, saved.author], [1, true, "agent:builder"]);
  assert.equal((await client.saveNote(deploy, { content: "run `make`" }, { if_revision: 1 })).revision, 2);
  assert.equal((await client.readNote(`${deploy}@1`)).content, "run `make ship`");
  await client.undoNote(deploy);
  assert.equal((await client.readNote(deploy)).content, "run `make ship`");
  assert.match((await client.context({ agent: "builder", place: "~/shop", budget: 300 })).text, /make ship/);
  assert.deepEqual((await client.search("ship", { kind: "key" })).hits.map((hit) => hit.address), [deploy]);
  const conflict = await refused(client.saveNote(deploy, { content: "x" }, { if_revision: 7 }));
  assert.deepEqual([conflict.kind, conflict.errorClass, conflict.status], ["conflict", "conflict", 412]);
  assert.equal(conflict.problem.current?.content, "run `make ship`");
  assert.equal((await client.deleteNote(deploy)).deleted, true);
  const gone = await refused(client.readNote(deploy));
  assert.equal(gone.kind, "not_found");
  assert.equal(gone.message, gone.advice ? `${gone.reason}; ${gone.advice}` : gone.reason);
});

test("pages, and values that need escapes", async () => {
  const addresses = [0, 1, 2, 3, 4].map((number) => `agent:a/b é?&=#k${number}`);
  for (const address of addresses) await client.saveNote(address, { content: "ä\u2028" });
  const found = [];
  for await (const page of pages((cursor) => client.listNotes({ scope: "agent:a/b é?&=", limit: 2, cursor }))) {
    found.push(...page.notes.map((note) => note.address));
  }
  assert.deepEqual(found, addresses);
});

test("the feed goes on behind an id", async () => {
  const feed = await client.changes();
  await client.addEntry("nightly", { type: "tip", content: "use lld" });
  await client.saveNote("agent:feed#a", { content: "two" });
  const first = (await feed.next()).value;
  assert.equal(first.data.changed.note.content, "use lld");
  await feed.return(undefined);
  const again = await client.changes({ after: first.id });
  assert.equal((await again.next()).value.data.changed.note.content, "two");
  await again.return(undefined);
});

test("there is a method for each operation of the document", async () => {
  const document = JSON.parse(readFileSync(join(here, "../../../docs/openapi.json"), "utf8"));
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, "x")}`),
  );
  const called = /** @type {string[]} */ ([]);
  const noServer = new Client("https://notes.example/s/team", {
    fetch: async (url, request) => {
      called.push(`${request?.method} ${new URL(String(url)).pathname.replace("/s/team/api/v1", "")}`);
      return Response.json({});
    },
  });
  const methods = /** @type {any} */ (noServer);
  const names = Object.getOwnPropertyNames(Client.prototype).filter((name) => name !== "constructor");
  for (const name of names) await methods[name]("x", "x", "x");
  assert.deepEqual(called.sort(), operations.sort());
});

test("only addresses of a store that are safe", async () => {
  assert.throws(() => new Client("http://notes.example/s/team"), /use https/);
  assert.throws(() => new Client("https://notes.example"), /is no address of a store/);
  assert.throws(() => new Client("/srv/notes.db"), /is no address of a store/);
  assert.throws(() => new Client("https://ann:secret@notes.example/s/team"), /^TypeError: an address of a store has no name/);
  assert.equal(new Client("https://notes.example/s/team/").url, "https://notes.example/s/team");
  const error = await refused(new Client("http://127.0.0.1:9/s/default", { wait: 0 }).listNotes());
  assert.equal(error.errorClass, "unreachable");
});

test("the environment is read only if asked", () => {
  process.env.WAYNOTE_STORE = "https://a/s/b";
  assert.deepEqual([Client.fromEnv().url, new Client().url], ["https://a/s/b", LOCAL]);
  process.env.WAYNOTE_STORE = "~/notes.db";
  assert.equal(Client.fromEnv().url, LOCAL);
  delete process.env.WAYNOTE_STORE;
});

test("the memory tool's files are notes", async () => {
  const files = memoryTool(client, { agent: "ann" });
  const path = "/memories/plan.md";
  assert.match(await files.create({ command: "create", path, file_text: "one\ntwo" }), /created/);
  await assert.rejects(files.create({ command: "create", path, file_text: "" }), /already exists/);
  await files.str_replace({ command: "str_replace", path, old_str: "two", new_str: "$& three" });
  assert.equal((await client.readNote("place:/memories/ann/plan.md")).content, "one\n$& three");
  assert.match(await files.view({ command: "view", path: "/memories" }), /plan\.md/);
});

test("the examples of the documentation", () => {
  const text = readFileSync(join(here, "../../../docs/languages.md"), "utf8");
  const blocks = [...text.matchAll(/```ts\n(.*?)```/gs)].map((found) => found[1]);
  const runs = blocks.filter((block) => !block.includes("@anthropic-ai/sdk"));
  assert(runs.length > 0);
  mkdirSync(join(home, "node_modules"));
  symlinkSync(join(here, ".."), join(home, "node_modules/waynote"));
  for (const block of runs) {
    const file = join(home, "example.mjs");
    writeFileSync(file, block.replace("new Client()", `new Client(${JSON.stringify(client.url)})`));
    execFileSync(process.execPath, [file]);
  }
});
