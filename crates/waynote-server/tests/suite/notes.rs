//! Notes over HTTP: written, read, listed, changed, with entity tags and keys.

use serde_json::{Value, json};

use super::support::{API, Response, RunningServer, start, wait_until};

const KEY: &str = "/s/notes/api/v1/notes/agent%3Abuilder%23deploy";

fn put(server: &RunningServer, path: &str, headers: &[&str], text: &str) -> Response {
    server.send(
        "PUT",
        path,
        headers,
        &json!({ "content": text }).to_string(),
    )
}

#[test]
fn a_note_is_written_and_read() {
    let server = start();
    let made = put(&server, KEY, &[], "run make ship");
    assert_eq!(
        (made.status, made.header("etag")),
        (201, "\"1\""),
        "{made:?}"
    );
    let expected = json!({
        "address": "agent:builder#deploy", "scope": "agent:builder", "key": "deploy", "content": "run make ship",
        "preview": "run make ship", "type": null, "iteration": null, "pinned": false, "revision": 1,
        "author": "agent:builder", "created_at": "2026-08-01T12:00:00Z", "updated_at": "2026-08-01T12:00:00Z",
    });
    assert_eq!(made.json(), expected);
    let read = server.get(KEY);
    assert_eq!((read.status, read.header("etag")), (200, "\"1\""));
    assert_eq!(read.json(), expected);

    let had = server.send("GET", KEY, &["If-None-Match: \"1\""], "");
    assert_eq!(
        (had.status, had.header("etag"), had.body.as_str()),
        (304, "\"1\"", "")
    );
    let again = put(
        &server,
        &format!("{KEY}?author=agent%3Abuilder"),
        &[],
        "run make",
    );
    assert_eq!((again.status, again.header("etag")), (200, "\"2\""));
    assert_eq!(again.json()["author"], "agent:builder");
    let newer = server.send("GET", KEY, &["If-None-Match: \"1\""], "");
    assert_eq!(newer.status, 200);
    let then = server.get(&format!("{KEY}?as_of=2026-08-01T11:00:00Z"));
    assert_eq!(then.problem(), (404, "not_found".into()));
}

#[test]
fn a_reply_says_that_hidden_characters_were_dropped() {
    let server = start();
    let made = put(&server, KEY, &[], "run\u{202e} make\u{2069}");
    assert_eq!(made.json()["content"], "run make");
    assert_eq!(
        made.header("warning"),
        "199 - \"dropped 2 hidden characters\""
    );
    let entry = json!({ "type": "tip", "content": "x\u{e0041}" }).to_string();
    let made = server.send("POST", &format!("{API}/sessions/s/entries"), &[], &entry);
    assert_eq!(made.json()["content"], "x", "{made:?}");
    assert_eq!(
        made.header("warning"),
        "199 - \"dropped 1 hidden character\""
    );
}

/// Sends requests about the note, one a line: method and path below the note, a header, the body or a text to save, and
/// what comes back: the status, and the kind of the problem or what the answer says of the note.
fn talk(server: &RunningServer, lines: &str) {
    for line in lines.lines().filter(|line| !line.trim().is_empty()) {
        let parts: Vec<&str> = line.split('|').map(str::trim).collect();
        let [request, header, body, expected] = parts[..] else {
            panic!("{line}");
        };
        let (method, below) = request.split_once(' ').unwrap_or((request, ""));
        let headers = Vec::from_iter((!header.is_empty()).then_some(header));
        let body = match body.chars().next() {
            None | Some('{') => body.to_owned(),
            Some(_) => json!({ "content": body }).to_string(),
        };
        let answer = server.send(method, &format!("{KEY}{below}"), &headers, &body);
        let json = answer.json();
        let note = json.get("note").unwrap_or(&json);
        let says = match answer.status {
            400.. => answer.problem().1,
            _ => match &note["content"] {
                Value::Null => note["deleted"].to_string(),
                text => text.as_str().unwrap().to_owned(),
            },
        };
        assert_eq!(format!("{} {says}", answer.status), expected, "{line}");
    }
}

#[test]
fn a_write_can_expect_a_revision() {
    let server = start();
    talk(
        &server,
        r#"
        PUT    | If-Match: "1"    | one             | 412 conflict
        PUT    | If-Match: *      | one             | 400 bad_request
        PUT    | If-None-Match: * | one             | 201 one
        PUT    | If-None-Match: * | two             | 412 conflict
        PUT    | If-Match: "1"    | two             | 200 two
        PUT    | If-Match: "1"    | three           | 412 conflict
        PUT    |                  | three           | 200 three
        PUT    | If-Match: 3      | four            | 400 bad_request
        PUT    | If-Match: W/"3"  | four            | 200 four
        PUT    | If-Match: "4-gzip" | five          | 200 five
        DELETE | If-Match: "4"    |                 | 412 conflict
        DELETE | If-Match: "5"    |                 | 200 true
        DELETE |                  |                 | 200 false
        "#,
    );
    put(&server, KEY, &[], "theirs");
    let refused = put(&server, KEY, &["If-None-Match: *"], "mine");
    assert_eq!(refused.json()["current"]["content"], "theirs");
}

#[test]
fn a_text_of_another_is_replaced_only_by_who_has_read_it() {
    let server = start();
    let persons = format!("{KEY}?author=person");
    put(&server, &persons, &[], "a person's");
    talk(
        &server,
        r#"
        PUT    |               | other         | 409 others_text
        DELETE |               |               | 409 others_text
        PUT    |               | a person's    | 200 a person's
        "#,
    );
    put(&server, &persons, &["If-Match: \"2\""], "a person's own");
    let refused = put(&server, KEY, &[], "other");
    let problem = refused.json();
    assert_eq!(problem["current"]["content"], "a person's own", "{problem}");
    assert_eq!(problem["current"]["revision"], 3);
    // A call for several changes is one too, unless it says otherwise: so does the command of a person.
    let apply = |replaces: Value| {
        let save = json!({ "save": { "address": "agent:builder#deploy", "content": "other" } });
        let mut stamp = json!({ "now": "2026-08-01T12:00:00Z", "author": "agent:builder" });
        if !replaces.is_null() {
            stamp["replaces"] = replaces;
        }
        let body = json!({ "changes": [save], "stamp": stamp }).to_string();
        server.send("POST", &format!("{API}/apply"), &[], &body)
    };
    let refused = apply(Value::Null);
    assert_eq!(refused.problem(), (409, "others_text".into()));
    assert_eq!(refused.json()["current"]["content"], "a person's own");
    let applied = apply(json!("any")).json();
    assert_eq!(applied["applied"][0]["before"]["revision"], 3, "{applied}");
    // The answer names the revision that was replaced.
    let replaced = put(&server, KEY, &["If-Match: \"4\""], "mine");
    assert_eq!(replaced.header("waynote-overwrote"), "4");
    assert_eq!(
        server.get(&format!("{KEY}%403")).json()["content"],
        "a person's own"
    );
    let deleted = server.send("DELETE", KEY, &[], "").json();
    assert_eq!(
        (&deleted["deleted"], &deleted["revision"]),
        (&json!(true), &json!(5))
    );
}

#[test]
fn a_repeated_call_is_carried_out_once() {
    let server = start();
    let key = ["Idempotency-Key: 7b9c"];
    let first = put(&server, KEY, &key, "one");
    put(&server, KEY, &[], "two");
    let again = put(&server, KEY, &key, "one");
    assert_eq!((again.status, again.body), (first.status, first.body));
    assert_eq!(server.get(KEY).json()["content"], "two");
    // Also if the call's own change is the reason that the precondition no longer holds.
    let headers = ["Idempotency-Key: del", "If-Match: \"2\""];
    for _ in 0..2 {
        let deleted = server.send("DELETE", KEY, &headers, "");
        assert_eq!(deleted.json()["deleted"], true, "{}", deleted.body);
    }
    talk(
        &server,
        "PUT | Idempotency-Key: AKIAQYLPMN5HFIQR7XYA | x | 422 name_holds_secret",
    );
}

#[test]
fn changes_are_undone_and_listed() {
    let server = start();
    talk(
        &server,
        r#"
        PUT           | | one             | 201 one
        PUT           | | two             | 200 two
        POST /undo    | | {}              | 200 one
        POST /undo    | | {"last":1}      | 409 conflict
        GET %401      | |                 | 200 one
        PUT %401      | | one             | 400 bad_request
        "#,
    );
    let actions = |path: &str| {
        let (mut pages, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = server.get(&format!("{path}?limit=3{cursor}")).json();
            let revisions = page["revisions"].as_array().unwrap().iter();
            let action =
                |of: &Value| format!("{} {}", of["revision"], of["action"].as_str().unwrap());
            pages.push(revisions.map(action).collect::<Vec<_>>().join(", "));
            match page["next"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => return pages,
            }
        }
    };
    let history = ["3 undo, 2 save, 1 save"];
    assert_eq!(actions(&format!("{KEY}/history")), history);
    let none = server.get(&format!("{API}/notes/agent%3Aa%23b/history"));
    assert_eq!(none.problem(), (404, "not_found".into()));
}

#[test]
fn a_list_comes_in_pages_that_have_every_note_once() {
    let server = start();
    let mut all = Vec::new();
    for place in ["~/p", "~/p/q"] {
        all.push(format!("place:{place}"));
        all.push(format!("place:{place}#k"));
    }
    for agent in ["a", "b"] {
        all.extend((0..7).map(|number| format!("agent:{agent}#k{number}")));
    }
    for address in &all {
        let path = address.replace('/', "%2F").replace('#', "%23");
        assert_eq!(
            put(&server, &format!("{API}/notes/{path}"), &[], "text").status,
            201,
            "{path}"
        );
    }
    let listed = |query: &str| {
        let (mut listed, mut cursor, mut pages) = (Vec::new(), String::new(), 0);
        loop {
            let page = server.get(&format!("{API}/notes?limit=3{query}{cursor}"));
            assert_eq!(page.status, 200, "{}", page.body);
            let page = page.json();
            let notes = page["notes"].as_array().unwrap();
            assert!(notes.len() <= 3);
            listed.extend(
                notes
                    .iter()
                    .map(|note| note["address"].as_str().unwrap().to_owned()),
            );
            pages += 1;
            match page["next"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => return (listed, pages),
            }
        }
    };
    assert_eq!(listed(""), (all.clone(), 6));
    assert_eq!(listed("&kind=place"), (all[..4].to_vec(), 2));
    assert_eq!(listed("&scope=agent%3Ab"), (all[11..].to_vec(), 3));
    assert_eq!(listed("&kind=session"), (Vec::new(), 1));
    assert_eq!(listed("&at=~%2Fp%2Fq%2Fr"), (all[..4].to_vec(), 2));
    assert_eq!(listed("&at=~%2Fp"), (all[..2].to_vec(), 1));
    assert_eq!(listed("&at=%2Fetc"), (Vec::new(), 1));
    assert_eq!(listed("&below=~%2Fp%2Fq"), (all[2..4].to_vec(), 1));
    assert_eq!(listed("&below=~"), (all[..4].to_vec(), 2));
    assert_eq!(listed("&below=%2F"), (Vec::new(), 1));
    for wrong in "limit=0 limit=501 limit=x cursor=x kind=key scope=x at=p other=1".split(' ') {
        let answer = server.get(&format!("{API}/notes?{wrong}"));
        assert_eq!(answer.problem().0, 400, "{wrong}: {}", answer.body);
    }
}

#[test]
fn what_is_wrong_with_a_body_is_said_without_its_secrets() {
    let server = start();
    for (body, status, kind) in [
        ("", 415, "unsupported_media_type"),
        ("{", 400, "bad_request"),
        ("{}", 400, "bad_request"),
        (r#"{"content":7}"#, 400, "bad_request"),
        (
            r#"{"content":"x","AKIAQYLPMN5HFIQR7XYA":1}"#,
            400,
            "bad_request",
        ),
        (
            r#"{"content":"key AKIAQYLPMN5HFIQR7XYA"}"#,
            422,
            "holds_secret",
        ),
        (r#"{"content":"a\u0000b"}"#, 422, "not_text"),
    ] {
        let answer = server.send("PUT", KEY, &[], body);
        assert_eq!(
            answer.problem(),
            (status, kind.into()),
            "{body}: {}",
            answer.body
        );
        assert!(!answer.body.contains("QYLPMN5"), "{}", answer.body);
    }
    let form = put(&server, KEY, &["Content-Type: text/plain"], "x");
    assert_eq!(form.problem(), (415, "unsupported_media_type".into()));
    let nobody = put(&server, &format!("{API}/notes/nobody"), &[], "x");
    assert_eq!(nobody.problem(), (400, "invalid_address".into()));
    assert_eq!(server.get(KEY).status, 404);
}

#[test]
fn what_is_found_and_the_block_are_those_of_the_library() {
    let server = start();
    put(&server, KEY, &[], "run make ship");
    let found = server.get(&format!("{API}/search?q=ship")).json();
    assert_eq!(found["hits"][0]["address"], "agent:builder#deploy");
    assert_eq!(
        server.get(&format!("{API}/search?q=ship&kind=log")).json()["hits"],
        json!([])
    );
    assert_eq!(server.get(&format!("{API}/search")).problem().0, 400);
    let block = server.get(&format!("{API}/context?agent=builder")).json();
    let text = block["text"].as_str().unwrap();
    assert!(text.contains("run make ship"), "{text}");
    let path = format!("{API}/context?agent=builder");
    let plain = server.send("GET", &path, &["Accept: text/plain"], "");
    assert_eq!(
        (plain.header("content-type"), plain.body.as_str()),
        ("text/plain; charset=utf-8", text)
    );
    let wrong = server.get(&format!("{API}/context?as_of=yesterday"));
    assert_eq!(wrong.problem().0, 400);
}

#[test]
fn sessions_have_entries_and_a_state() {
    let server = start();
    let entries = format!("{API}/sessions/night/entries");
    let add = |body: Value| server.send("POST", &entries, &[], &body.to_string());
    let stuck =
        json!({ "type": "stuck", "content": "the linker runs out of memory", "iteration": 1 });
    let added = add(stuck.clone());
    assert_eq!((added.status, &added.json()["seen"]), (201, &json!(1)));
    let again = add(stuck);
    assert_eq!((again.status, &again.json()["seen"]), (200, &json!(2)));
    let resolved = add(json!({ "type": "learning", "content": "use lld", "resolves": "linker" }));
    assert_eq!(resolved.status, 201, "{}", resolved.body);
    let again = add(json!({ "type": "learning", "content": "x", "resolves": "linker" }));
    assert_eq!(again.problem().0, 404);
    let unknown = add(json!({ "type": "poem", "content": "x" }));
    assert_eq!(unknown.problem(), (400, "unknown_type".into()));

    let of = super::page::asking(&server, "night");
    let sessions = server.get(&format!("{API}/sessions")).json();
    assert_eq!(
        sessions,
        json!({ "sessions": [{ "session": "night", "notes": 2, "state": "running", "last_iteration": 2,
            "question": "May I drop the column?", "answer": null }], "next": null })
    );
    drop(of);
}

#[test]
fn the_log_is_emptied_when_nobody_writes() {
    let server = start();
    let log = server.folder().join("notes.db-wal");
    let bytes = || std::fs::metadata(&log).map_or(0, |log| log.len());
    assert_eq!(put(&server, KEY, &[], "run make ship").status, 201);
    assert!(bytes() > 0);
    wait_until(|| bytes() == 0, "an empty log");
    assert_eq!(server.get(KEY).json()["content"], "run make ship");
}
