// waynote: puts the notes into opencode's system prompt. Written by `waynote install opencode`, removed by `waynote uninstall opencode`.
import { spawn } from "node:child_process";

const program = "waynote";

// The text that the hook prints, or nothing: whatever goes wrong must not hold a prompt up.
const notes = (input) =>
  new Promise((resolve) => {
    let text = "";
    const child = spawn(program, ["hook", "opencode", "SessionStart"], { stdio: ["pipe", "pipe", "ignore"] });
    const late = setTimeout(() => child.kill("SIGKILL"), 2000);
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

export const Waynote = async ({ directory, worktree }) => {
  // One text for each session, so that the prompt's beginning stays the same and can be cached; a compaction takes a new one.
  const sessions = new Map();
  return {
    "experimental.chat.system.transform": async (input, output) => {
      const session = input?.sessionID ?? "";
      if (!sessions.has(session)) {
        sessions.set(session, notes({ session_id: session, cwd: directory ?? worktree }));
      }
      const text = await sessions.get(session);
      if (text) output.system.push(text);
    },
    event: async ({ event }) => {
      const session = event?.properties?.sessionID ?? event?.properties?.info?.id;
      if (event?.type === "session.compacted" || event?.type === "session.deleted") sessions.delete(session);
    },
  };
};
