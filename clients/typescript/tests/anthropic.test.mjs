// The memory tool in Anthropic's SDK, which calls it as for a model's answer. Needs `@anthropic-ai/sdk`.

import assert from "node:assert/strict";
import { test } from "node:test";
import { betaMemoryTool } from "@anthropic-ai/sdk/helpers/beta/memory";
import { Client } from "waynote";
import { memoryTool } from "waynote/memory-tool";

test("the SDK's runner calls the memory tool", async () => {
  const calls = /** @type {Record<string, unknown>[]} */ ([]);
  const client = new Client("https://notes.example/s/team", {
    fetch: async (url, request) => {
      calls.push({ url: String(url), ...JSON.parse(String(request?.body)).params });
      const result = { content: [{ type: "text", text: "done" }], isError: calls.length > 1 };
      return Response.json({ jsonrpc: "2.0", id: 1, result });
    },
  });
  const tool = betaMemoryTool(memoryTool(client, { agent: "ann" }));
  const command = tool.parse({ command: "view", path: "/memories" });
  assert.equal(await tool.run(command), "done");
  const url = "https://notes.example/s/team/mcp?agent=ann&tools=memory";
  assert.deepEqual(calls, [{ url, name: "memory", arguments: { command: "view", path: "/memories" } }]);
  await assert.rejects(async () => tool.run(command), { message: "done" });
});
