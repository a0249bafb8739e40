// Made by clients/generate.py from docs/openapi.json. Do not edit.

import { Transport, part } from "./http.mjs";

export class Client extends Transport {
  context(options) {
    return this.call("GET", "/context", { options, names: ["agent", "place", "session", "iteration", "budget", "style", "only", "query", "as_of", "explain"] });
  }

  listNotes(options) {
    return this.call("GET", "/notes", { options, names: ["scope", "kind", "at", "below", "cursor", "limit"] });
  }

  readNote(address, options) {
    return this.call("GET", `/notes/${part(address)}`, { options, names: ["as_of"] });
  }

  saveNote(address, body, options) {
    return this.call("PUT", `/notes/${part(address)}`, { options, names: ["author", "lease"], body, mayRepeat: true });
  }

  deleteNote(address, options) {
    return this.call("DELETE", `/notes/${part(address)}`, { options, names: ["author", "lease"], mayRepeat: true });
  }

  history(address, options) {
    return this.call("GET", `/notes/${part(address)}/history`, { options, names: ["cursor", "limit"] });
  }

  undoNote(address, body = {}, options) {
    return this.call("POST", `/notes/${part(address)}/undo`, { options, names: ["author", "lease"], body, mayRepeat: true });
  }

  search(q, options) {
    return this.call("GET", "/search", { options, query: { q }, names: ["kind", "scope", "place", "agent", "limit", "history"] });
  }

  listSessions(options) {
    return this.call("GET", "/sessions", { options, names: ["cursor", "limit"] });
  }

  addEntry(session, body, options) {
    return this.call("POST", `/sessions/${part(session)}/entries`, { options, names: ["author", "lease"], body, mayRepeat: true });
  }

  changes(options) {
    return this.feed("GET", "/changes", { options, names: ["after"] });
  }

  forget(body, options) {
    return this.call("POST", "/forget", { options, body });
  }

  verify(options) {
    return this.call("GET", "/verify", { options });
  }

  openapi(options) {
    return this.call("GET", "/openapi.json", { options });
  }

  read(body = {}, options) {
    return this.call("POST", "/read", { options, body });
  }

  apply(body, options) {
    return this.call("POST", "/apply", { options, body });
  }

  record(body, options) {
    return this.call("POST", "/record", { options, body });
  }

  asOf(body, options) {
    return this.call("POST", "/as-of", { options, body });
  }

  find(body, options) {
    return this.call("POST", "/search", { options, body });
  }

  render(body, options) {
    return this.call("POST", "/context", { options, body });
  }

  beat(body, options) {
    return this.call("POST", "/beat", { options, body });
  }

  silence(body, options) {
    return this.call("POST", "/silence", { options, body });
  }
}
