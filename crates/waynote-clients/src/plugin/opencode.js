// One package with the notes, the server, the skill and the commands of waynote. Written by `waynote plugin`.
import { fileURLToPath } from "node:url";
import notes from "./waynote.js";

const server = "server";
const commands = "commands";
const skills = fileURLToPath(new URL("./skills", import.meta.url));

export default {
  ...notes,
  server: async (input) => ({
    ...(await notes.server(input)),
    // Entries of the person's own configuration stay as they are.
    config: async (config) => {
      config.mcp = { ...server, ...config.mcp };
      config.command = { ...commands, ...config.command };
      config.skills = { ...config.skills, paths: [...(config.skills?.paths ?? []), skills] };
    },
  }),
};
