import type { FeedEntry, Problem } from "./api.mjs";

/** The store that `waynote serve` serves on this machine. */
export declare const LOCAL: string;

/** A request that failed. */
export declare class WaynoteError extends Error {
  constructor(kind: string, message: string, advice?: string, problem?: Partial<Problem>);
  /** A stable word, such as `not_found`. */
  kind: string;
  /** Its family: `invalid`, `not_found`, `conflict`, `refused`, `limit`, `blocked`, `damaged`, `busy`, `unreachable`, `denied`. */
  errorClass?: string;
  /** What failed, and why. `message` has the advice too. */
  reason: string;
  /** What to do. */
  advice?: string;
  /** The HTTP status. */
  status?: number;
  /** The whole answer. After a conflict, `current` is the note as it is now. */
  problem: Partial<Problem>;
}

/** One thing of the feed of changes. */
export interface FeedMessage {
  /** The place in the feed: `changes({ after: id })` goes on behind it. */
  id: string;
  /** `reset`: the store has another history now. */
  event: "note" | "event" | "forgotten" | "reset" | (string & {});
  data: FeedEntry;
}

export interface ClientOptions {
  /** The token, `wn_…`, if the store has tokens. */
  token?: string;
  /** Milliseconds to wait for an answer. Without it 60,000. */
  timeout?: number;
  /** Milliseconds to wait for a server that starts again, if the request can be made again. Without it 5,000. */
  wait?: number;
  /** Another way to make requests. */
  fetch?: typeof globalThis.fetch;
}

export interface CallOptions {
  /** Ends the call. */
  signal?: AbortSignal;
}

/** One part of a path. */
export declare function part(text: string): string;

/** The pages of a list: `pages((cursor) => client.listNotes({ kind: "agent", cursor }))`. */
export declare function pages<P extends { next?: string | null }>(
  list: (cursor: string | undefined) => Promise<P>,
): AsyncGenerator<P>;

export declare class Transport {
  /** `url` is the address of the store, as `waynote serve` prints it: `https://notes.example/s/team`. */
  constructor(url?: string, options?: ClientOptions);

  /**
   * The store that `WAYNOTE_URL` names, with the token in `WAYNOTE_TOKEN`. Without `WAYNOTE_URL`, `WAYNOTE_STORE`
   * counts if it is a URL, then the server of this machine.
   */
  static fromEnv<T extends Transport>(this: new (url?: string, options?: ClientOptions) => T, options?: ClientOptions): T;

  readonly url: string;

  /** Calls a tool of the server's MCP endpoint. `caller` says who calls: `agent`, `place`, `session`, `tools` … */
  callTool(
    tool: string,
    args: Record<string, unknown>,
    caller?: Record<string, string>,
    options?: CallOptions,
  ): Promise<{ text: string; isError: boolean }>;
}
