// The scenario, played through clients of the official TypeScript SDK: version 1 and version 2, the latter in both eras.

import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [program, folder] = process.argv.slice(2);
const modules = path.resolve(folder);
// Resolved in the folder that the packages were installed to, which is not above this file.
const installed = createRequire(path.join(modules, "package.json"));
const load = (name) => import(pathToFileURL(installed.resolve(name)).href);
const scenario = JSON.parse(fs.readFileSync(new URL("scenario.json", import.meta.url)));

function require(holds, what) {
  if (!holds) throw new Error(`not as it should be: ${what}`);
}

async function play(part, client) {
  const instructions = client.getInstructions() ?? "";
  require(instructions.startsWith("Notes that outlast this session"), instructions);
  require(instructions.length < 512, instructions.length);
  const { tools } = await client.listTools();
  require(JSON.stringify(tools.map((tool) => tool.name)) === JSON.stringify(part.tools), tools.map((tool) => tool.name));
  for (const [name, args, isError, has] of part.calls) {
    const result = await client.callTool({ name, arguments: args });
    const text = result.content[0].text;
    require(Boolean(result.isError) === isError, `${name} ${JSON.stringify(args)}: ${text}`);
    require(text.includes(has), `${name} ${JSON.stringify(args)}: ${JSON.stringify(text)} lacks ${has}`);
    require(result.content.length === 1 && !result.structuredContent, `${name}: more than one text`);
  }
  const { resources } = await client.listResources();
  require(resources.some((resource) => resource.uri === "waynote://context"), resources);
  for (const { uri } of resources) {
    const { contents } = await client.readResource({ uri });
    require(typeof contents[0].text === "string", uri);
  }
  require((await client.listResourceTemplates()).resourceTemplates.length === 1, "templates");
  require((await client.listPrompts()).prompts[0].name === "context", "prompts");
  require((await client.getPrompt({ name: "context" })).messages.length === 1, "the prompt is empty");
}

async function run(sdk, Client, StdioClientTransport, options) {
  let version;
  for (const part of scenario) {
    const home = fs.mkdtempSync(path.join(os.tmpdir(), "waynote-sdk-"));
    const project = path.join(home, "project");
    fs.mkdirSync(project);
    const transport = new StdioClientTransport({
      command: program, args: part.arguments, cwd: project, env: { HOME: home, PATH: process.env.PATH },
    });
    const client = new Client({ name: "conformance", version: "1.0.0" }, options);
    await client.connect(transport);
    await play(part, client);
    version = client.getNegotiatedProtocolVersion?.() ?? transport.protocolVersion ?? "by initialize";
    await client.close();
    fs.rmSync(home, { recursive: true });
  }
  const calls = scenario.reduce((sum, part) => sum + part.calls.length, 0);
  console.log(`${sdk} of TypeScript, protocol ${version}: ${calls} calls as they should be`);
}

const one = await load("@modelcontextprotocol/sdk/client/index.js");
const oneStdio = await load("@modelcontextprotocol/sdk/client/stdio.js");
await run("sdk 1", one.Client, oneStdio.StdioClientTransport, {});
const two = await load("@modelcontextprotocol/client");
const twoStdio = await load("@modelcontextprotocol/client/stdio");
for (const mode of ["legacy", { pin: "2026-07-28" }]) {
  await run("client 2", two.Client, twoStdio.StdioClientTransport, { versionNegotiation: { mode } });
}
