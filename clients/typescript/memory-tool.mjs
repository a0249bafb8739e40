// Anthropic's memory tool over a waynote server. The server carries out each command.

const COMMANDS = ["view", "create", "str_replace", "insert", "delete", "rename"];

export function memoryTool(client, { agent = "default" } = {}) {
  const run = async (command) => {
    const { text, isError } = await client.callTool("memory", command, { agent, tools: "memory" });
    if (isError) throw new Error(text);
    return text;
  };
  return Object.fromEntries(COMMANDS.map((command) => [command, run]));
}
