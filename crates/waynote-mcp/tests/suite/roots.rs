//! A client that names its directories when it is asked, sooner or later.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::calls::Folder;
use super::embedded::Server;

fn start(folder: &Folder) -> Server {
    Server::start_with_roots(folder.program(|| Timestamp::UNIX_EPOCH))
}

fn roots(path: &str) -> Value {
    json!({ "roots": [{ "uri": format!("file://{path}") }] })
}

fn save() -> Value {
    json!({ "place": ".", "content": "v" })
}

fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap()
}

#[test]
fn calls_wait_for_the_roots_and_keep_their_order() {
    let folder = Folder::new();
    let mut server = start(&folder);
    server.call(1, "note_save", &save());
    server.call(2, "note_show", &json!({ "place": "." }));
    let asked = server.receive();
    assert_eq!(asked["method"], "roots/list");
    // Others are answered meanwhile.
    server.ask(3, "ping", &json!({}));
    assert_eq!(server.receive()["id"], 3);
    server.answer(&asked, &roots("/srv/a%20b"));
    let mut answers = [server.receive(), server.receive()];
    answers.sort_by_key(|answer| answer["id"].as_u64());
    let texts = answers.each_ref().map(text);
    assert_eq!(texts, ["saved place:/srv/a b (new)", "v"]);
    // It is asked again when they change.
    server.notify("notifications/roots/list_changed", &json!({}));
    server.call(4, "note_save", &save());
    let asked = server.receive();
    server.answer(&asked, &roots("/srv/other"));
    assert_eq!(text(&server.receive()), "saved place:/srv/other (new)");
    server.end().unwrap();
}

#[test]
fn an_answer_counts_whenever_it_comes() {
    let folder = Folder::new();
    let mut server = start(&folder);
    server.call(1, "note_save", &save());
    let asked = server.receive();
    assert_eq!(asked["method"], "roots/list");
    // The working directory, `/srv/project`, may be another project's.
    insta::assert_snapshot!(text(&server.receive()), @"
    the client has not answered `roots/list` yet, so its project is not known
    send the call again later, or give an absolute `place`, or `scope` agent; nothing was done
    ");
    // A key is the project's, too, unless the call says whose it is.
    for (tool, arguments) in [
        ("note_save", json!({ "key": "k", "content": "v" })),
        ("note_show", json!({ "key": "k" })),
    ] {
        let said = server.reply(tool, &arguments);
        assert!(said.starts_with("the client has not answered"), "{said}");
    }
    let ours = json!({ "key": "k", "content": "v", "scope": "agent" });
    assert_eq!(
        server.reply("note_save", &ours),
        "saved agent:builder#k (new)"
    );
    server.answer(&asked, &roots("/srv/late"));
    // The answer is on its way to the server as the next call is.
    server.ask(2, "ping", &json!({}));
    assert_eq!(server.receive()["id"], 2);
    assert_eq!(
        server.reply("note_save", &save()),
        "saved place:/srv/late (new)"
    );
    server.end().unwrap();
}

#[test]
fn with_several_projects_open_a_save_says_which_one_is_meant() {
    let folder = Folder::new();
    let mut server = start(&folder);
    server.call(1, "note_save", &json!({ "key": "k", "content": "v" }));
    let asked = server.receive();
    let each = ["/srv/shop", "/srv/api/", "/srv/shop"]
        .map(|path| json!({ "uri": format!("file://{path}") }));
    server.answer(&asked, &json!({ "roots": each }));
    insta::assert_snapshot!(text(&server.receive()), @"
    the client has several projects open: /srv/api, /srv/shop
    name one as `place`, or give `scope` agent; nothing was done
    ");
    let named = json!({ "key": "k", "content": "v", "place": "/srv/api" });
    assert_eq!(
        server.reply("note_save", &named),
        "saved place:/srv/api#k (new)"
    );
    server.end().unwrap();
}

#[test]
fn the_working_directory_counts_for_a_client_that_has_no_roots() {
    let folder = Folder::new();
    for refusal in ["result", "error"] {
        let mut server = start(&folder);
        server.call(1, "note_save", &save());
        let asked = server.receive();
        let answer = match refusal {
            "result" => json!({ "jsonrpc": "2.0", "id": asked["id"], "result": { "roots": [] } }),
            _ => {
                json!({ "jsonrpc": "2.0", "id": asked["id"], "error": { "code": -32601, "message": "no" } })
            }
        };
        server.send_line(&answer.to_string());
        assert!(text(&server.receive()).contains("place:/srv/project"));
        server.end().unwrap();
    }
}
