//! What the access matrix asks: every route of the API, the pages and the tools, for the notes of one agent, place or
//! session.

use serde_json::{Value, json};

use super::server::API;

/// The notes of one agent, place or session. Its tag is in its name, in a key and in each of its texts.
pub(super) struct Planted {
    pub(super) option: &'static str,
    pub(super) name: &'static str,
    pub(super) tag: &'static str,
}

pub(super) const PLANTED: [Planted; 7] = [
    planted("--agent", "heron-qa1", "heron-qa1"),
    planted("--agent", "osprey-qa2", "osprey-qa2"),
    planted("--place", "/srv/linden-qa3", "linden-qa3"),
    planted("--place", "/srv/linden-qa3/alder-qa4", "alder-qa4"),
    planted("--place", "/srv/rowan-qa5", "rowan-qa5"),
    planted("--session", "tern-qa6", "tern-qa6"),
    planted("--session", "plover-qa7", "plover-qa7"),
];

const fn planted(option: &'static str, name: &'static str, tag: &'static str) -> Planted {
    Planted { option, name, tag }
}

impl Planted {
    pub(super) fn kind(&self) -> &'static str {
        self.option.trim_start_matches('-')
    }

    pub(super) fn scope(&self) -> String {
        format!("{}:{}", self.kind(), self.name)
    }

    /// What only those who see it may read, and no request says.
    pub(super) fn texts(&self) -> [String; 4] {
        ["one", "concealed", "first", "question"].map(|word| format!("{word}-text-{}", self.tag))
    }
}

/// A request.
pub(super) struct Asked {
    pub(super) method: &'static str,
    /// The route as the API's document names it; empty: a page, or MCP.
    pub(super) route: &'static str,
    pub(super) path: String,
    pub(super) body: Value,
}

pub(super) fn asked(method: &'static str, route: &'static str, path: &str, body: Value) -> Asked {
    let path = match route {
        "" => format!("/s/default{path}"),
        _ => format!("{API}{path}"),
    };
    Asked {
        method,
        route,
        path,
        body,
    }
}

fn in_path(text: &str) -> String {
    text.replace('/', "%2F")
        .replace('#', "%23")
        .replace(':', "%3A")
}

const NOW: &str = "2040-01-01T00:00:00Z";

/// All that can be read, asked for one agent, place or session.
pub(super) fn reads(planted: &Planted, keys: &[String]) -> Vec<Asked> {
    let scope = planted.scope();
    let name = planted.name;
    let (of_scope, kind) = (in_path(&scope), planted.kind());
    let is_session = kind == "session";
    let session = if is_session { name } else { "tern-qa6" };
    let (agent, place) = match kind {
        "agent" => (name, "/srv"),
        "place" => ("nobody", name),
        _ => ("nobody", "/srv"),
    };
    let get = |route, path: &str| asked("GET", route, path, Value::Null);
    let post = |route, path: &str, body| asked("POST", route, path, body);
    let mut all = vec![
        get("/notes", &format!("/notes?scope={of_scope}")),
        get("/notes", &format!("/notes?kind={kind}")),
        get("/notes", &format!("/notes?at={}", in_path(place))),
        get("/notes", &format!("/notes?below={}", in_path(place))),
        get("/search", "/search?q=text"),
        get("/search", &format!("/search?q=text&scope={of_scope}")),
        get("/search", "/search?q=text&history=true"),
        get(
            "/context",
            &format!(
                "/context?agent={agent}&place={}&session={session}&explain=true",
                in_path(place)
            ),
        ),
        get(
            "/context",
            &format!(
                "/context?agent={agent}&place={}&session={session}&as_of={NOW}",
                in_path(place)
            ),
        ),
        get("/journal", "/journal?limit=500"),
        get("/scopes", "/scopes"),
        get("/sessions", "/sessions"),
        get(
            "/sessions/{session}/events",
            &format!("/sessions/{session}/events"),
        ),
        get("/audit", "/audit"),
        get("/tokens", "/tokens"),
        get("/verify", "/verify"),
        get("/openapi.json", "/openapi.json"),
        post(
            "/search",
            "/search",
            json!({"query": "text", "scopes": [scope], "limit": 50}),
        ),
        post(
            "/search",
            "/search",
            json!({"query": "text", "limit": 50, "history": true}),
        ),
        post(
            "/as-of",
            "/as-of",
            json!({"scopes": [scope], "moment": {"time": NOW}}),
        ),
        post(
            "/context",
            "/context",
            json!({
                "request": {"agent": agent, "place": place, "session": session, "style": "stable", "now": NOW},
                "part": {"block": {}},
            }),
        ),
        post(
            "/read",
            "/read",
            json!({
                "scopes": [scope], "kinds": [kind], "summaries": [kind], "journal": [{}], "feed": [{}],
                "counts": [{"counted": scope}], "events": [{"session": session}], "leases": [session],
                "entry_types": [session], "last_iterations": [session], "all_leases": true, "event_sessions": true,
                "histories": keys, "notes": keys, "store_id": true, "version": true,
            }),
        ),
    ];
    for path in ["/", "/notes", "/sessions", "/tend", "/history", "/access"] {
        all.push(get("", path));
    }
    all.push(get(
        "",
        &format!("/?agent={agent}&place={}&session={session}", in_path(place)),
    ));
    all.push(get("", &format!("/notes?scope={of_scope}")));
    all.push(get("", "/notes?q=text"));
    all.push(get("", &format!("/sessions?session={session}")));
    for (number, key) in keys.iter().enumerate() {
        let path = in_path(key);
        all.push(get("/notes/{address}", &format!("/notes/{path}")));
        all.push(get(
            "/notes/{address}",
            &format!("/notes/{path}?as_of={NOW}"),
        ));
        all.push(get(
            "/notes/{address}/history",
            &format!("/notes/{path}/history"),
        ));
        for page in ["/notes", "/notes/text", "/history"] {
            all.push(get("", &format!("{page}?note={path}")));
        }
        all.push(tool(number, "note_show", &json!({"address": key})));
    }
    all.push(tool(10, "note_search", &json!({"query": "text"})));
    let whose = json!({"place": place, "session": session});
    all.push(tool(11, "note_context", &whose));
    all.push(tool(12, "note_list", &json!({})));
    all
}

/// A call of a tool of MCP.
fn tool(id: usize, name: &str, arguments: &Value) -> Asked {
    let params = json!({"name": name, "arguments": arguments});
    let body = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
    asked("POST", "", "/mcp", body)
}

/// All that can be changed, for one agent, place or session.
pub(super) fn writes(planted: &Planted, keys: &[String]) -> Vec<Asked> {
    let scope = planted.scope();
    let session = match planted.kind() {
        "session" => planted.name,
        _ => "plover-qa7",
    };
    let place = match planted.kind() {
        "place" => json!(planted.name),
        _ => Value::Null,
    };
    let stamp = json!({"author": "person", "now": "2026-01-01T00:00:00Z"});
    let new = format!("{scope}#made-by-matrix");
    let content = json!("made by the matrix");
    let post = |route, path: &str, body| asked("POST", route, path, body);
    let change = |change: Value| {
        post(
            "/apply",
            "/apply",
            json!({"changes": [change], "stamp": stamp}),
        )
    };
    let note = in_path(&new);
    let old = &keys[0];
    let mut all = vec![
        asked(
            "PUT",
            "/notes/{address}",
            &format!("/notes/{note}"),
            json!({"content": content}),
        ),
        asked(
            "PATCH",
            "/notes/{address}",
            &format!("/notes/{note}"),
            json!({"pinned": true}),
        ),
        change(json!({"save": {"address": new, "content": content}})),
        change(json!({"pin": {"address": old, "pinned": true}})),
        change(json!({"undo": {"address": old}})),
        change(json!({"append": {"session": session, "type": "tip", "content": content}})),
        post(
            "/sessions/{session}/entries",
            &format!("/sessions/{session}/entries"),
            json!({"type": "tip", "content": content}),
        ),
        post(
            "/sessions/{session}/events",
            &format!("/sessions/{session}/events"),
            json!({"events": [{"event": "stop_requested"}]}),
        ),
        post(
            "/record",
            "/record",
            json!({"session": session, "events": [{"event": "archived"}], "stamp": stamp}),
        ),
        post("/beat", "/beat", json!({"session": session, "lease": 1})),
        post(
            "/silence",
            "/silence",
            json!({"session": session, "lease": 1}),
        ),
        post(
            "/tokens",
            "/tokens",
            json!({"name": "made-by-matrix", "rights": "admin"}),
        ),
        asked(
            "DELETE",
            "/tokens/{token}",
            "/tokens/administers",
            Value::Null,
        ),
        post(
            "/forget",
            "/forget",
            json!({"target": old, "stamp": stamp, "dry_run": true}),
        ),
        tool(
            1,
            "note_save",
            &json!({"key": "made-by-matrix", "content": content, "place": place}),
        ),
        tool(2, "note_delete", &json!({"address": old})),
    ];
    for (key, revision) in keys.iter().zip([1, 1]) {
        let path = in_path(key);
        for (action, body) in [
            ("restore", json!({"revision": revision})),
            ("undo", json!({})),
            ("redo", json!({})),
        ] {
            let route = match action {
                "restore" => "/notes/{address}/restore",
                "undo" => "/notes/{address}/undo",
                _ => "/notes/{address}/redo",
            };
            all.push(post(route, &format!("/notes/{path}/{action}"), body));
        }
        all.push(asked(
            "DELETE",
            "/notes/{address}",
            &format!("/notes/{path}"),
            Value::Null,
        ));
    }
    all.push(post(
        "/forget",
        "/forget",
        json!({"target": keys[1], "stamp": stamp}),
    ));
    all
}
