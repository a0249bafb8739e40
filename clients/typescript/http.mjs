// The way to a server: requests, answers, errors. The methods of the API are in api.mjs.

/** The store that `waynote serve` serves on this machine. */
export const LOCAL = "http://127.0.0.1:7467/s/default";

export class WaynoteError extends Error {
  constructor(kind, message, advice, problem = {}) {
    super(advice ? `${message}; ${advice}` : message);
    this.name = "WaynoteError";
    this.kind = kind;
    this.errorClass = problem.class ?? (kind === "unreachable" ? "unreachable" : undefined);
    this.reason = message;
    this.advice = advice;
    this.status = problem.status;
    this.problem = problem;
  }
}

/** Milliseconds after which a request may be made again that came too soon after others. */
const SOON = 1000;

const sleep = (time) => new Promise((go) => setTimeout(go, time));

export const part = (text) => encodeURIComponent(text);

export async function* pages(list) {
  let cursor;
  do {
    const page = await list(cursor);
    yield page;
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
}

export class Transport {
  #token;
  #timeout;
  #wait;
  #fetch;

  constructor(url = LOCAL, { token, timeout = 60_000, wait = 5_000, fetch = globalThis.fetch } = {}) {
    const parsed = URL.canParse(url) ? new URL(url) : undefined;
    if (parsed && (parsed.username || parsed.password || parsed.search || parsed.hash)) {
      throw new TypeError("an address of a store has no name, password or query: give the token by itself");
    }
    if (!parsed || !/^https?:$/.test(parsed.protocol) || !parsed.pathname.includes("/s/")) {
      throw new TypeError(`${url} is no address of a store: it is https://HOST/s/NAME`);
    }
    const host = parsed.hostname;
    const isHere = host === "localhost" || host === "[::1]" || host.startsWith("127.");
    if (parsed.protocol === "http:" && !isHere) {
      throw new TypeError(`${url} is not on this machine, so notes could be read on the way: use https://`);
    }
    this.url = url.replace(/\/+$/, "");
    this.#token = token;
    this.#timeout = timeout;
    this.#wait = wait;
    this.#fetch = fetch;
  }

  static fromEnv(options = {}) {
    const { WAYNOTE_URL, WAYNOTE_STORE = "", WAYNOTE_TOKEN } = process.env;
    const url = WAYNOTE_URL || (WAYNOTE_STORE.includes("://") ? WAYNOTE_STORE : LOCAL);
    return new this(url, { token: WAYNOTE_TOKEN || undefined, ...options });
  }

  async callTool(tool, args, caller = {}, options = {}) {
    const query = new URLSearchParams(caller);
    const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool, arguments: args } };
    const headers = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
    const request = { method: "POST", headers, body: JSON.stringify(message) };
    const answer = await this.#exchange(`${this.url}/mcp?${query}`, request, options.signal, false);
    const { error, result } = await answer.json();
    if (error) throw new WaynoteError("refused", error.message);
    const texts = result.content.filter((each) => each.type === "text").map((each) => each.text);
    return { text: texts.join("\n"), isError: result.isError === true };
  }

  async call(method, path, { options = {}, query = {}, names = [], body, mayRepeat = false }) {
    const headers = { Accept: "application/json" };
    const revision = options.if_revision;
    if (revision === 0) headers["If-None-Match"] = "*";
    else if (revision !== undefined) headers["If-Match"] = `"${revision}"`;
    // The server carries out equal keys once, so a lost answer can be asked for again.
    if (mayRepeat) headers["Idempotency-Key"] = options.idempotency_key ?? crypto.randomUUID();
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const request = { method, headers, body: body === undefined ? undefined : JSON.stringify(body) };
    const target = this.#target(path, query, names, options);
    const answer = await this.#exchange(target, request, options.signal, mayRepeat || method === "GET");
    const text = await answer.text();
    return text ? JSON.parse(text) : undefined;
  }

  async feed(method, path, { options = {}, names = [] }) {
    const request = { method, headers: { Accept: "text/event-stream" } };
    const target = this.#target(path, {}, names, options);
    return messages(await this.#exchange(target, request, options.signal, false, true));
  }

  #target(path, query, names, options) {
    const words = new URLSearchParams(query);
    for (const name of names) {
      if (options[name] !== undefined && options[name] !== null) words.set(name, String(options[name]));
    }
    return `${this.url}/api/v1${path}${words.size > 0 ? `?${words}` : ""}`;
  }

  /** The answer to a request. It is made again if it came too soon after others, or met no server. */
  async #exchange(url, request, signal, mayRepeat, isFeed = false) {
    const begin = Date.now();
    let pause = 0;
    for (;;) {
      const limit = isFeed ? undefined : AbortSignal.timeout(this.#timeout);
      let answer;
      try {
        answer = await this.#once(url, request, signal, limit);
      } catch (error) {
        if (signal?.aborted) throw error;
        const code = error.cause?.code;
        const again = code === "ECONNREFUSED" || (mayRepeat && !limit?.aborted);
        if (!again || (pause > 0 && Date.now() + pause > begin + this.#wait)) throw this.#lost(error, mayRepeat);
        await sleep(pause);
        pause = Math.min(pause * 2, 1000) || 50;
        continue;
      }
      if (answer.ok) return answer;
      if (answer.status !== 429 || Date.now() + SOON > begin + this.#timeout) throw await this.#problem(answer);
      await answer.body?.cancel();
      await sleep(SOON);
    }
  }

  #once(url, request, signal, limit) {
    const headers = this.#token ? { ...request.headers, Authorization: `Bearer ${this.#token}` } : request.headers;
    const signals = [signal, limit].filter((each) => each !== undefined);
    // The method of another object would not do for browsers.
    const fetch = this.#fetch;
    return fetch(url, { ...request, headers, redirect: "error", signal: AbortSignal.any(signals) });
  }

  #lost(error, mayRepeat) {
    const reason = error.cause?.message || error.cause?.code || error.message;
    const advice =
      mayRepeat || error.cause?.code === "ECONNREFUSED"
        ? "see whether the server runs: `waynote serve` starts one"
        : "it may have been carried out: look before you send it again";
    return new WaynoteError("unreachable", `${this.url} did not answer: ${reason}`, advice);
  }

  async #problem(answer) {
    const text = await answer.text();
    try {
      const problem = JSON.parse(text);
      // The MCP endpoint's errors are those of its protocol.
      if (problem.error) return new WaynoteError("refused", problem.error.message, undefined, { status: answer.status });
      if (problem.kind) return new WaynoteError(problem.kind, problem.detail, problem.hint ?? undefined, problem);
    } catch {
      // Something else than a waynote server.
    }
    const said = `${this.url} answered ${answer.status} ${answer.statusText}, and not as a waynote server does`;
    return new WaynoteError("unreachable", said, "check the address", { status: answer.status });
  }
}

async function* messages(answer) {
  let rest = "";
  let fields = {};
  for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      const at = line.indexOf(":");
      if (at > 0) {
        fields[line.slice(0, at)] = line.slice(at + 1).trim();
      } else if (line.trim() === "" && fields.event) {
        yield { id: fields.id ?? "", event: fields.event, data: JSON.parse(fields.data ?? "null") };
        fields = {};
      }
    }
  }
}
