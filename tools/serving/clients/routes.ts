// Calls every route of a server with a client whose types openapi-typescript generated.
//
// Arguments: the address of the API and a token. The compiler checks that each path, parameter, body and answer has its
// type; the calls check that the server takes them.

import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";

type Problem = components["schemas"]["Problem"];

const [baseUrl, token] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${token}` } });
let called = 0;

/** The answer of a route; a problem ends the program unless it is the expected one. */
async function answer<T>(
  call: Promise<{ data?: T; error?: Problem; response: Response }>,
  expected?: number,
): Promise<T> {
  const { data, error, response } = await call;
  called += 1;
  if (error !== undefined && response.status !== expected) {
    throw new Error(`${response.url}: ${response.status} ${JSON.stringify(error)}`);
  }
  return data as T;
}

const path = { address: "agent:builder#deploy" };
const note = { params: { path } };
const session = { params: { path: { session: "nightly" } } };
const stamp = { author: "agent:builder", now: "2026-05-17T12:00:00Z" };
const lease = { body: { session: "nightly", lease: 1 } };

const saved = await answer(client.PUT("/notes/{address}", { ...note, body: { content: "run `make ship`" } }));
if (saved.content !== "run `make ship`") throw new Error(`saved as ${saved.content}`);
await answer(client.POST("/notes/{address}/undo", { ...note, body: {} }));
await answer(client.PUT("/notes/{address}", { ...note, body: { content: "run `make ship`", pinned: true } }));
await answer(client.GET("/notes/{address}", note));
await answer(client.GET("/notes/{address}/history", note));
const notes = await answer(client.GET("/notes", {}));
if (!notes.notes.some((each) => each.address === path.address)) throw new Error("the note is not listed");
await answer(client.POST("/sessions/{session}/entries", { ...session, body: { type: "tip", content: "use lld" } }));
await answer(client.GET("/sessions", {}));
await answer(client.GET("/search", { params: { query: { q: "ship" } } }));
await answer(client.GET("/context", { params: { query: { agent: "builder" } } }));
await answer(client.GET("/openapi.json", {}));
await answer(client.GET("/verify", {}));

const read = await answer(client.POST("/read", { body: { notes: [path.address], version: true } }));
if (read.notes?.[0]?.address !== path.address) throw new Error("the note was not read");
const moment = { time: "2026-05-17T12:00:00Z" };
await answer(client.POST("/as-of", { body: { moment, scopes: ["agent:builder"] } }));
await answer(client.POST("/search", { body: { query: "ship", limit: 10 } }));
const lineage = { place: "~/shop", places: ["~", "~/shop"] };
const request = { agent: "builder", lineage, style: "stable" as const, now: stamp.now };
const save = { address: "agent:builder#steps", content: "run `make`" };
await answer(client.POST("/apply", { body: { changes: [{ save }], stamp } }));
await answer(client.POST("/record", { body: { session: "nightly", events: [], stamp } }));
await answer(client.POST("/context", { body: { request, part: { block: {} } } }));
await answer(client.POST("/forget", { body: { target: path.address, dry_run: true, stamp } }));
// The session has no loop.
await answer(client.POST("/beat", lease), 409);
await answer(client.POST("/silence", lease), 409);

await answer(client.DELETE("/notes/{address}", note));

// The feed has no end: the last event that was read is the first of those that follow.
const feed = await client.GET("/changes", { params: { query: { after: "start" } }, parseAs: "stream" });
await feed.response.body?.cancel();
called += 1;

console.log(`${called} routes`);
