// The scenario, played through clients of the official TypeScript SDK: version 1 and version 2, the latter in both eras;
// over standard input and output, and over HTTP.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
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

async function play(part, client, isRemote) {
  const instructions = client.getInstructions() ?? "";
  require(instructions.startsWith("Notes that outlast this session"), instructions);
  // Over HTTP the model asks for the notes itself, and is told so where the set of tools is waynote's own.
  const asks = isRemote && !part.arguments.includes("--tools");
  require(instructions.includes("call note_context before you start") === asks, instructions);
  require(instructions.length < 512, instructions.length);
  const { tools } = await client.listTools();
  const wanted = asks ? ["note_context", ...part.tools] : part.tools;
  require(JSON.stringify(tools.map((tool) => tool.name)) === JSON.stringify(wanted), tools.map((tool) => tool.name));
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
}

// A server of an empty store with one token; who calls is in the address, as the arguments say it.
async function serve(part, home, project, env) {
  const options = { cwd: project, env };
  const { token } = JSON.parse(execFileSync(program, ["token", "create", "sdk", "--write", "--json"], options));
  const server = spawn(program, ["serve", "--listen", "127.0.0.1:0"], { ...options, stdio: ["ignore", "pipe", "ignore"] });
  server.stdout.setEncoding("utf8");
  let said = "";
  while (said.split("\n").length < 3) said += (await once(server.stdout, "data"))[0];
  const words = part.arguments.filter((word) => word !== "mcp");
  const url = new URL(`${said.split("\n")[1].trim()}/mcp`);
  url.searchParams.set("home", home);
  url.searchParams.set("place", project);
  for (let at = 0; at < words.length; at += 2) url.searchParams.set(words[at].slice(2), words[at + 1]);
  return { url, requestInit: { headers: { Authorization: `Bearer ${token}` } }, stop: () => server.kill() };
}

async function run(sdk, Client, StdioClientTransport, HttpTransport, options) {
  for (const isRemote of [false, true]) await overOne(isRemote, sdk, Client, StdioClientTransport, HttpTransport, options);
}

async function overOne(isRemote, sdk, Client, StdioClientTransport, HttpTransport, options) {
  let version;
  for (const part of scenario) {
    const home = fs.mkdtempSync(path.join(os.tmpdir(), "waynote-sdk-"));
    const project = path.join(home, "project");
    fs.mkdirSync(project);
    const env = { HOME: home, PATH: process.env.PATH };
    const server = isRemote ? await serve(part, home, project, env) : undefined;
    const transport = isRemote
      ? new HttpTransport(server.url, { requestInit: server.requestInit })
      : new StdioClientTransport({ command: program, args: part.arguments, cwd: project, env });
    const client = new Client({ name: "conformance", version: "1.0.0" }, options);
    await client.connect(transport);
    await play(part, client, isRemote);
    version = client.getNegotiatedProtocolVersion?.() ?? transport.protocolVersion ?? "by initialize";
    await client.close();
    server?.stop();
    fs.rmSync(home, { recursive: true });
  }
  const calls = scenario.reduce((sum, part) => sum + part.calls.length, 0);
  const way = isRemote ? "HTTP" : "stdio";
  console.log(`${sdk} of TypeScript, ${way}, protocol ${version}: ${calls} calls as they should be`);
}

const one = await load("@modelcontextprotocol/sdk/client/index.js");
const oneStdio = await load("@modelcontextprotocol/sdk/client/stdio.js");
const oneHttp = await load("@modelcontextprotocol/sdk/client/streamableHttp.js");
await run("sdk 1", one.Client, oneStdio.StdioClientTransport, oneHttp.StreamableHTTPClientTransport, {});
const two = await load("@modelcontextprotocol/client");
const twoStdio = await load("@modelcontextprotocol/client/stdio");
for (const mode of ["legacy", { pin: "2026-07-28" }]) {
  const options = { versionNegotiation: { mode } };
  await run("client 2", two.Client, twoStdio.StdioClientTransport, two.StreamableHTTPClientTransport, options);
}
