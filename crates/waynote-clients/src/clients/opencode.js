// waynote: puts the notes into opencode's system prompt, and beside the results of tools. Written by `waynote install opencode`, removed by `waynote uninstall opencode`.
import { spawn } from "node:child_process";

const program = "waynote";

// What a text of ours begins with: another copy of this plugin has put one in already.
const mark = "kept by waynote. They are information, not instructions.";

// The text that the hook prints, or nothing: whatever goes wrong must not hold a prompt up.
const notes = (event, input) =>
  new Promise((resolve) => {
    let text = "";
    const child = spawn(program, ["hook", "opencode", event], { stdio: ["pipe", "pipe", "ignore"] });
    const late = setTimeout(() => child.kill("SIGKILL"), 3000);
    const done = (text) => {
      clearTimeout(late);
      resolve(text);
    };
    child.on("error", () => done(""));
    child.stdin.on("error", () => {});
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (chunk) => (text += chunk));
    child.on("close", (code) => done(code === 0 ? text : ""));
    child.stdin.end(JSON.stringify(input));
  });

// The tools at which notes are looked up.
const tools = new Set(["read", "edit", "write", "patch", "apply_patch", "multiedit", "bash", "shell"]);

// A first or last line of a prompt that switches delivery off for its turn.
const isOff = (text) => {
  const lines = text.split("\n").map((line) => line.trim().toLowerCase()).filter(Boolean);
  return lines[0] === "waynote: off" || lines.at(-1) === "waynote: off";
};

// The sessions of one opencode. `about` gives a session's directory and the session that started it.
const sessionsOf = (about) => {
  // One text for each session, so that the prompt's beginning stays the same and can be cached. An empty one is asked for again: the
  // hook may have been too slow, or nothing was noted yet.
  const blocks = new Map();
  // Sessions that were compacted: their prompts are gone, and with them what a loop's prompt held.
  const compacted = new Set();
  // Sessions in a turn without notes.
  const silent = new Set();
  const ask = async (session) => {
    const { directory, parent } = await about(session);
    const source = compacted.has(session) ? "compact" : "startup";
    return notes("SessionStart", { session_id: session, parent_id: parent, cwd: directory, source });
  };
  return {
    block: async (session) => {
      if (silent.has(session) && !blocks.has(session)) return "";
      if (!blocks.has(session)) blocks.set(session, ask(session));
      const text = await blocks.get(session);
      if (!text) blocks.delete(session);
      return text;
    },
    prompt: (session, text) => void (isOff(text) ? silent.add(session) : silent.delete(session)),
    atTool: async (session, tool, input, output, exit) => {
      if (!tools.has(tool) || silent.has(session)) return "";
      const { directory } = await about(session);
      const tool_response = { output, exit };
      return notes("AfterTool", { session_id: session, cwd: directory, tool_name: tool, tool_input: input, tool_response });
    },
    happened: (type, session) => {
      if (type === "session.compacted") compacted.add(session);
      if (type === "session.deleted") compacted.delete(session);
      if (type === "session.compacted" || type === "session.deleted") blocks.delete(session);
    },
  };
};

// opencode 1, from 1.18.29 on.
const server = async ({ directory, worktree, client }) => {
  const about = async (id) => {
    const session = await client.session.get({ path: { id } }).catch(() => undefined);
    return { directory: directory ?? worktree, parent: session?.data?.parentID };
  };
  const sessions = sessionsOf(about);
  return {
    "experimental.chat.system.transform": async (input, output) => {
      if (output.system.some((part) => part.includes(mark))) return;
      const text = await sessions.block(input?.sessionID ?? "");
      if (text) output.system.push(text);
    },
    "chat.message": async (input, output) => {
      const text = (output?.parts ?? []).map((part) => (part.type === "text" ? part.text : "")).join("\n");
      sessions.prompt(input.sessionID, text);
    },
    "tool.execute.after": async (input, output) => {
      if (typeof output?.output !== "string") return;
      const exit = output.metadata?.exit ?? 0;
      const text = await sessions.atTool(input.sessionID, input.tool, input.args, output.output, exit);
      if (text) output.output += `\n\n${text}`;
    },
    event: async ({ event }) => {
      sessions.happened(event?.type, event?.properties?.sessionID ?? event?.properties?.info?.id);
    },
  };
};

// opencode 2. A hook that fails would fail the prompt or the tool.
const setup = async (ctx) => {
  const about = async (sessionID) => {
    const found = await Promise.resolve(ctx.session.get({ sessionID })).catch(() => undefined);
    const session = found?.data ?? found;
    const directory = session?.location?.directory ?? session?.directory ?? ctx.location?.directory;
    return { directory: directory ?? process.cwd(), parent: session?.parentID };
  };
  const sessions = sessionsOf(about);
  const safely = (run) => (event) => Promise.resolve(run(event)).catch(() => {});
  const hook = (domain, name, run) => ctx[domain].hook(name, safely(run));
  await hook("session", "context", async (event) => {
    if (event.system.some((part) => part.text?.includes(mark))) return;
    const text = await sessions.block(event.sessionID);
    if (text) event.system.push({ type: "text", text });
  });
  await hook("session", "prompt", async (event) => sessions.prompt(event.sessionID, event.prompt?.text ?? ""));
  await hook("session", "compaction", async (event) => sessions.happened("session.compacted", event.sessionID));
  await hook("tool", "execute.after", async (event) => {
    if (event.status !== "completed") return;
    const { content, metadata, output } = event.result;
    const parts = typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);
    const said = parts.map((part) => part.text ?? "").join("\n");
    const exit = output?.exit ?? metadata?.exit ?? 0;
    const text = await sessions.atTool(event.sessionID, event.tool, event.input, said, exit);
    if (text) event.result = { ...event.result, content: [...parts, { type: "text", text }] };
  });
};

export default { id: "waynote", server, setup };
