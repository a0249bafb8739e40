//! Requests over HTTP, each for itself, in both eras of the protocol.

use std::sync::Arc;

use http::{Request, StatusCode};
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};
use waynote::context::{Budget, Style};
use waynote::{Content, Limits, Options as StoreOptions, Places, SqliteStore, Stamp};
use waynote_mcp::{Caller, Options, Set};

use super::embedded::Program;

/// An endpoint over a store with a note on a place.
struct Endpoint {
    host: Arc<Program>,
    options: Options,
    _folder: tempfile::TempDir,
}

impl Endpoint {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store =
            SqliteStore::open(folder.path().join("notes.db"), &StoreOptions::default()).unwrap();
        let now = "2026-05-01T12:00:00Z".parse().unwrap();
        let stamp = Stamp::new(now, "person".parse().unwrap());
        let text = Content::text("the API allows 100 requests a minute").unwrap();
        Places::new(&store)
            .write(&"~/shop".parse().unwrap(), text, &stamp)
            .unwrap();
        let caller = Caller {
            agent: "builder".parse().unwrap(),
            session: None,
            iteration: None,
            is_in_loop: false,
            author: "agent:builder".parse().unwrap(),
            limits: Limits::default(),
            style: Style::Stable,
            budget: Budget::default(),
            home: Some("/home/u".into()),
            directories: Vec::new(),
            lineages: None,
        };
        Self {
            host: Arc::new(Program {
                store,
                now: Box::new(move || now),
                may_write: Box::new(|| Ok(())),
            }),
            options: Options {
                caller,
                tools: vec![Set::Default],
                has_project: true,
                delivery: None,
            },
            _folder: folder,
        }
    }

    fn send(&self, request: Request<Full<bytes::Bytes>>) -> (StatusCode, Value) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap();
        runtime.block_on(async {
            let answer =
                waynote_mcp::answer(request, self.options.clone(), self.host.clone()).await;
            let status = answer.status();
            assert!(answer.headers().get("mcp-session-id").is_none());
            let body = answer.into_body().collect().await.unwrap().to_bytes();
            (status, serde_json::from_slice(&body).unwrap_or(Value::Null))
        })
    }

    /// A message as a client of an older protocol sends it.
    fn older(&self, message: &Value) -> (StatusCode, Value) {
        self.send(
            post()
                .header("mcp-protocol-version", "2025-06-18")
                .body(Full::from(message.to_string()))
                .unwrap(),
        )
    }

    /// A request of 2026-07-28.
    fn stateless(&self, method: &str, name: Option<&str>, mut params: Value) -> Value {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let mut request = post()
            .header("mcp-protocol-version", "2026-07-28")
            .header("mcp-method", method);
        if let Some(name) = name {
            request = request.header("mcp-name", name);
        }
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let (status, answer) = self.send(request.body(Full::from(message.to_string())).unwrap());
        assert_eq!(status, StatusCode::OK, "{answer}");
        answer["result"].clone()
    }
}

fn post() -> http::request::Builder {
    Request::post("http://127.0.0.1/mcp")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_default()
}

#[test]
fn an_older_client_needs_no_session() {
    let endpoint = Endpoint::new();
    let (status, begun) = endpoint.older(&json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": { "roots": {} },
            "clientInfo": { "name": "test", "version": "1" },
        },
    }));
    assert_eq!(status, StatusCode::OK, "{begun}");
    assert_eq!(begun["result"]["protocolVersion"], "2025-06-18");
    let instructions = begun["result"]["instructions"].as_str().unwrap();
    assert!(
        instructions.contains("call note_context before you start"),
        "{instructions}"
    );
    // No project is known here.
    let keys = "note_save keeps a fact for you in every project under a key";
    assert!(instructions.contains(keys), "{instructions}");
    let (status, _) = endpoint.older(&json!({
        "jsonrpc": "2.0", "method": "notifications/initialized",
    }));
    assert_eq!(status, StatusCode::ACCEPTED);
    let (_, called) = endpoint.older(&json!({
        "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
            "name": "note_context", "arguments": { "place": "/home/u/shop/src" },
        },
    }));
    let text = text(&called["result"]);
    assert!(text.contains("100 requests a minute"), "{called}");
}

#[test]
fn a_request_of_the_new_era_stands_for_itself() {
    let endpoint = Endpoint::new();
    let listed = endpoint.stateless("tools/list", None, json!({}));
    let names: Vec<&str> = listed["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "note_context",
            "note_list",
            "note_save",
            "note_show",
            "note_delete",
            "note_pin",
            "note_confirm",
            "note_search"
        ]
    );
    let save = listed["tools"][2]["description"].as_str().unwrap();
    assert!(save.contains("`key`: for you, in every project;"), "{save}");
    assert_eq!(listed["cacheScope"], "private");
    assert_eq!(listed["ttlMs"], 3_600_000);
    let saved = endpoint.stateless(
        "tools/call",
        Some("note_save"),
        json!({ "name": "note_save", "arguments": { "key": "deploy", "content": "run make ship" } }),
    );
    // No block is added to a reply: the server cannot know what the client has seen.
    insta::assert_snapshot!(text(&saved), @"saved agent:builder#deploy (new); it applies in every project, as none is known here");
    let shown = endpoint.stateless(
        "tools/call",
        Some("note_context"),
        json!({ "name": "note_context", "arguments": {} }),
    );
    assert!(text(&shown).contains("run make ship"), "{shown}");
    assert!(!text(&shown).contains("100 requests"), "{shown}");
}

/// The tool and the prompt take the same arguments; those of a prompt are all texts.
#[test]
fn a_block_is_asked_for_in_every_way() {
    let endpoint = Endpoint::new();
    for (key, content) in [("deploy", "run make ship"), ("tests", "use nextest")] {
        let arguments = json!({ "key": key, "content": content });
        let save = json!({ "name": "note_save", "arguments": arguments });
        endpoint.stateless("tools/call", Some("note_save"), save);
    }
    let place = "/home/u/shop/src";
    for arguments in [
        json!({ "place": place }),
        json!({ "only": "index", "query": "how do I ship?", "budget": 60, "iteration": 1, "session": "night" }),
        json!({ "style": "faithful", "place": place }),
        json!({ "as_of": "2001-01-01T00:00:00Z" }),
    ] {
        let call = json!({ "name": "note_context", "arguments": arguments });
        let called = endpoint.stateless("tools/call", Some("note_context"), call);
        let block = text(&called);
        let seen = |part: &str| block.contains(part);
        let notes = [
            seen("make ship"),
            seen("nextest"),
            seen("100 requests a minute"),
        ];
        let wanted = match &arguments {
            of if of["as_of"].is_string() => [false; 3],
            // The budget has room for one note, and the query chooses it.
            of if of["only"].is_string() => [true, false, false],
            _ => [true; 3],
        };
        assert_eq!(notes, wanted, "{arguments}: {block}");
    }
    let refused =
        [("as_of", "yesterday"), ("only", "all"), ("budget", "many")].map(|(name, value)| {
            let call = json!({ "name": "note_context", "arguments": { name: value } });
            let refused = endpoint.stateless("tools/call", Some("note_context"), call);
            text(&refused).to_owned()
        });
    insta::assert_snapshot!(refused.join("\n\n"), @"
    `yesterday` is neither a position in the journal nor a time such as 2026-05-17T12:00:00Z

    `only` cannot be `all`
    `only` is one of pinned, places, index, iterations; nothing was done

    `budget` cannot be `many`
    `budget` is a whole number, at least 0; nothing was done
    ");
}

#[test]
fn a_cut_character_is_a_replacement_character() {
    let endpoint = Endpoint::new();
    let save = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"note_save","arguments":{"key":"k","content":"cut \ud83d"}}}"#;
    let (status, answer) = endpoint.send(post().body(Full::from(save)).unwrap());
    assert_eq!(status, StatusCode::OK, "{answer}");
    let show = json!({ "name": "note_show", "arguments": { "key": "k" } });
    let shown = endpoint.stateless("tools/call", Some("note_show"), show);
    assert_eq!(text(&shown), "cut \u{fffd}");
}

#[test]
fn what_is_no_message_is_refused() {
    let endpoint = Endpoint::new();
    let get = Request::get("http://127.0.0.1/mcp")
        .header("accept", "text/event-stream")
        .body(Full::default())
        .unwrap();
    assert_eq!(endpoint.send(get).0, StatusCode::METHOD_NOT_ALLOWED);
    let long = post().body(Full::from("x".repeat(3 << 20))).unwrap();
    assert_eq!(endpoint.send(long).0, StatusCode::PAYLOAD_TOO_LARGE);
    let many = json!({ "jsonrpc": "2.0", "id": 7, "method": "ping", "params": vec![0; 30_000] });
    let (status, answer) = endpoint.send(post().body(Full::from(many.to_string())).unwrap());
    assert_eq!(
        (status, &answer["id"]),
        (StatusCode::BAD_REQUEST, &json!(7))
    );
    let broken = post().body(Full::from("{")).unwrap();
    assert!(endpoint.send(broken).0.is_client_error());
}
