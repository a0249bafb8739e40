import type { Client } from "./api.mjs";

/** The handlers of the memory tool's commands. */
export interface MemoryToolHandlers {
  view(command: { command: "view"; path: string; view_range?: number[] }): Promise<string>;
  create(command: { command: "create"; path: string; file_text: string }): Promise<string>;
  str_replace(command: { command: "str_replace"; path: string; old_str: string; new_str: string }): Promise<string>;
  insert(command: { command: "insert"; path: string; insert_line: number; insert_text: string }): Promise<string>;
  delete(command: { command: "delete"; path: string }): Promise<string>;
  rename(command: { command: "rename"; old_path: string; new_path: string }): Promise<string>;
}

/**
 * The handlers for `betaMemoryTool` of `@anthropic-ai/sdk`. The file `/memories/plan.md` is the note
 * `place:/memories/AGENT/plan.md`. A refused command is an `Error`.
 */
export declare function memoryTool(client: Client, options?: { agent?: string }): MemoryToolHandlers;
