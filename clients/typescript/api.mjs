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

  pinNote(address, body, options) {
    return this.call("PATCH", `/notes/${part(address)}`, { options, names: ["author", "lease"], body, mayRepeat: true });
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

  redoNote(address, body = {}, options) {
    return this.call("POST", `/notes/${part(address)}/redo`, { options, names: ["author", "lease"], body, mayRepeat: true });
  }

  restoreNote(address, body, options) {
    return this.call("POST", `/notes/${part(address)}/restore`, { options, names: ["author", "lease"], body, mayRepeat: true });
  }

  search(q, options) {
    return this.call("GET", "/search", { options, query: { q }, names: ["kind", "scope", "limit", "history"] });
  }

  listSessions(options) {
    return this.call("GET", "/sessions", { options, names: ["cursor", "limit"] });
  }

  addEntry(session, body, options) {
    return this.call("POST", `/sessions/${part(session)}/entries`, { options, names: ["author", "lease"], body, mayRepeat: true });
  }

  listEvents(session, options) {
    return this.call("GET", `/sessions/${part(session)}/events`, { options, names: ["cursor", "limit"] });
  }

  addEvents(session, body, options) {
    return this.call("POST", `/sessions/${part(session)}/events`, { options, names: ["author"], body, mayRepeat: true });
  }

  listScopes(options) {
    return this.call("GET", "/scopes", { options, names: ["cursor", "limit"] });
  }

  journal(options) {
    return this.call("GET", "/journal", { options, names: ["cursor", "limit"] });
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

  listTokens(options) {
    return this.call("GET", "/tokens", { options });
  }

  createToken(body, options) {
    return this.call("POST", "/tokens", { options, body });
  }

  revokeToken(token, options) {
    return this.call("DELETE", `/tokens/${part(token)}`, { options });
  }

  audit(options) {
    return this.call("GET", "/audit", { options, names: ["cursor", "limit"] });
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
