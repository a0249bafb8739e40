//! The MCP endpoint over a real connection. The protocol itself is tested in `waynote-mcp`, which answers it.

use serde_json::{Value, json};
use waynote::{Content, Places, Reader, Stamp};

use super::support::{RunningServer, now, start};
use waynote_testing::{has, lacks};

const HEADERS: &[&str] = &[
    "Content-Type: application/json",
    "Accept: application/json, text/event-stream",
    "MCP-Protocol-Version: 2025-06-18",
];

fn call(server: &RunningServer, query: &str, tool: &str, arguments: &Value) -> Value {
    let message = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": tool, "arguments": arguments },
    });
    let path = format!("/s/notes/mcp{query}");
    let answer = server.send("POST", &path, HEADERS, &message.to_string());
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()["result"].clone()
}

fn text(result: &Value) -> String {
    result["content"][0]["text"].as_str().unwrap().to_owned()
}

#[test]
fn the_url_says_who_calls_and_from_where() {
    let server = start();
    let note = Content::text("the API allows 100 requests a minute").unwrap();
    Places::new(&server.store)
        .write(
            &"~/shop".parse().unwrap(),
            note,
            &Stamp::new(now(), "person".parse().unwrap()),
        )
        .unwrap();
    let query = "?agent=builder&home=/home/u&place=~/shop/src";
    let saved = call(
        &server,
        query,
        "note_save",
        &json!({ "key": "deploy", "content": "run make ship" }),
    );
    // A path of another machine is in no repository that is known here.
    insta::assert_snapshot!(text(&saved), @"saved agent:builder#deploy (new); it applies in every project, as none is known here");
    let block = text(&call(&server, query, "note_context", &json!({})));
    has(&block, "100 requests");
    has(&block, "run make ship");
    let other = text(&call(&server, "?agent=other", "note_context", &json!({})));
    assert_eq!(other, "No notes apply here yet.");
    let history = server
        .store
        .history(&"agent:builder#deploy".parse().unwrap());
    assert_eq!(history.unwrap()[0].author().as_str(), "agent:builder");
}

#[test]
fn a_place_of_a_repository_is_the_project_of_its_notes() {
    let server = start();
    let shop = "?agent=builder&place=repo:github.com/acme/shop//src";
    let api = "?agent=builder&place=repo:github.com/acme/api";
    let said =
        |query: &str, tool: &str, arguments: Value| text(&call(&server, query, tool, &arguments));
    let build = |text: &str| json!({ "key": "build", "content": text });
    let saved = [
        said(shop, "note_save", build("cargo build")),
        said(api, "note_save", build("pnpm build")),
        said(
            shop,
            "note_save",
            json!({ "content": "Prices are in cents", "place": "../pay" }),
        ),
        said(
            shop,
            "note_save",
            json!({ "key": "style", "content": "short", "scope": "agent" }),
        ),
        said(shop, "note_show", json!({ "key": "build" })),
        said(shop, "note_search", json!({ "query": "build" })),
    ];
    insta::assert_snapshot!(saved.join("\n"), @"
    saved repo:github.com/acme/shop#build (new)
    saved repo:github.com/acme/api#build (new)
    saved repo:github.com/acme/shop//pay (new)
    saved agent:builder#style (new)
    cargo build
    - repo:/#build: cargo build
    these do not apply here:
    - repo:github.com/acme/api#build: pnpm build
    ");
    let block = said(shop, "note_context", json!({}));
    has(&block, "cargo build");
    lacks(&block, "pnpm");
    lacks(&block, "cents");
    // The API has the same places.
    let get = |path: &str| server.get(&format!("/s/notes/api/v1/{path}")).body;
    let block = get("context?agent=builder&place=repo:github.com/acme/shop//pay");
    has(&block, "cargo build");
    has(&block, "cents");
    let notes = get("notes?at=repo:github.com/acme/shop//src/x");
    has(&notes, "repo:github.com/acme/shop#build");
    lacks(&notes, "acme/api");
    let hits = get("search?q=build&place=repo:github.com/acme/api&limit=1");
    has(&hits, "repo:github.com/acme/api#build");
    let hits = get("search?q=build&place=repo:github.com/acme/shop//src&limit=1");
    has(&hits, "repo:github.com/acme/shop#build");
    let note = get("notes/repo%3Agithub.com%2Facme%2Fshop%23build");
    has(&note, "cargo build");
}

#[test]
fn what_the_url_gets_wrong_is_a_problem_with_a_hint() {
    let server = start();
    for query in "?agnet=a ?agent=a%0Ab ?iteration=first ?style=loud ?tools=default,none ?place=~/p ?place=shop ?place=repo:shop"
        .split_whitespace()
    {
        let path = format!("/s/notes/mcp{query}");
        let answer = server.send("POST", &path, HEADERS, "{}");
        assert_eq!(answer.problem().0, 400, "{query}: {answer:?}");
    }
    assert_eq!(server.get("/s/notes/mcp").status, 405);
    let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" }).to_string();
    let any = server.send("POST", "/s/notes/mcp/", &["Accept: */*"], &ping);
    assert_eq!(any.status, 200, "{any:?}");
}
