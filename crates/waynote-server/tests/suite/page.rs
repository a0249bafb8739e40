//! The page over a real socket: what a browser without a script does.

use waynote::{
    Address, Content, EntryType, Notebook, Places, Reader, SaveOptions, SessionLog, Stamp,
};

use super::support::{Response, RunningServer, now, options, start, start_as};
use waynote_testing::has;

pub(super) fn stamp(author: &str) -> Stamp {
    Stamp::new(now(), author.parse().unwrap())
}

pub(super) fn save(server: &RunningServer, key: &str, text: &str, author: &str) {
    let notes = Notebook::of_agent(&*server.store, "builder".parse().unwrap());
    let content = Content::text(text).unwrap();
    let options = SaveOptions::default();
    let key = key.parse().unwrap();
    notes.save(&key, content, options, &stamp(author)).unwrap();
}

pub(super) fn note(server: &RunningServer, address: &str) -> Option<waynote::Note> {
    let address: Address = address.parse().unwrap();
    server.store.get(&address).unwrap()
}

/// Sends a form as the page of this server does.
pub(super) fn post(server: &RunningServer, path: &str, fields: &[(&str, &str)]) -> Response {
    let origin = format!("Origin: http://{}", server.address);
    post_from(server, path, fields, &[&origin])
}

pub(super) fn post_from(
    server: &RunningServer,
    path: &str,
    fields: &[(&str, &str)],
    headers: &[&str],
) -> Response {
    let mut body = form_urlencoded::Serializer::new(String::new());
    body.extend_pairs(fields);
    let kind = "Content-Type: application/x-www-form-urlencoded";
    let headers: Vec<&str> = [kind].iter().chain(headers).copied().collect();
    server.send("POST", path, &headers, &body.finish())
}

const DEPLOY: &str = "agent:builder#deploy";

/// Does something with the note, as a page of this revision. Returns the path that the browser goes on to.
fn act(server: &RunningServer, act: &str, base: &str, more: &[(&str, &str)]) -> String {
    let fields = [&[("note", DEPLOY), ("base", base)], more].concat();
    let done = post(server, &format!("/s/notes/notes/{act}"), &fields);
    assert_eq!(done.status, 303, "{act}: {}", done.body);
    done.header("location").to_owned()
}

#[test]
fn every_view_is_shown_also_of_an_empty_store() {
    let server = start();
    for path in [
        "",
        "notes",
        "notes/new",
        "notes?show=changes",
        "notes?show=worth",
        "sessions",
    ] {
        let answer = server.get(&format!("/s/notes/{path}"));
        assert_eq!(answer.status, 200, "{path}");
        assert!(answer.body.contains("<h1"), "{path}");
        assert!(answer.body.contains("waynote"), "{path}");
    }
    assert_eq!(server.get("/").header("location"), "/s/notes/");
    assert_eq!(server.get("/s/notes").header("location"), "/s/notes/");
}

#[test]
fn a_page_lets_nothing_foreign_in() {
    let server = start();
    let answer = server.get("/s/notes/");
    assert_eq!(
        answer.header("content-security-policy"),
        "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; \
         form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    );
    assert_eq!(answer.header("x-content-type-options"), "nosniff");
    assert_eq!(answer.header("referrer-policy"), "same-origin");
    assert_eq!(answer.header("cache-control"), "no-store");
    for bad in ["style=", "onclick", "<script>", "http://", "https://"] {
        assert!(!answer.body.contains(bad), "{bad}");
    }
}

#[test]
fn the_files_of_the_page_are_kept_by_the_browser() {
    let server = start();
    let page = server.get("/s/notes/").body;
    let mut files = Vec::new();
    for part in page.split('"').filter(|part| part.starts_with("/page/")) {
        let answer = server.get(part);
        assert_eq!(answer.status, 200, "{part}");
        let kept = "public, max-age=31536000, immutable";
        assert_eq!(answer.header("cache-control"), kept);
        files.push(answer.header("content-type").to_owned());
    }
    let media = [
        "image/svg+xml",
        "text/css; charset=utf-8",
        "text/javascript; charset=utf-8",
    ];
    assert_eq!(files, media);
    assert_eq!(server.get("/page/page-000000000000.css").status, 404);
}

#[test]
fn a_person_writes_edits_pins_deletes_and_undoes() {
    let server = start();
    let new = [
        ("scope", "agent:builder"),
        ("key", "deploy"),
        ("text", "run\r\n`make ship`"),
        ("base", "0"),
    ];
    let written = post(&server, "/s/notes/notes/save", &new);
    assert_eq!(written.status, 303, "{}", written.body);
    let first = note(&server, DEPLOY).unwrap();
    assert_eq!(first.content.as_text(), Some("run\n`make ship`"));
    assert_eq!(first.author.as_str(), "person");
    let shown = server.get(written.header("location")).body;
    has(&shown, "Saved.");
    has(&shown, "<code>make ship</code>");

    act(&server, "pin", "1", &[]);
    assert!(note(&server, DEPLOY).unwrap().pinned);
    let edit = "/s/notes/notes/edit?note=agent:builder%23deploy&base=2";
    has(&server.get(edit).body, "run\n`make ship`</textarea>");
    act(&server, "save", "2", &[("text", "run `make all`")]);
    assert_eq!(note(&server, DEPLOY).unwrap().preview, "run `make all`");

    let gone = act(&server, "delete", "3", &[]);
    assert_eq!(note(&server, DEPLOY), None);
    let shown = server.get(&gone).body;
    has(&shown, "Deleted.");
    has(&shown, "Bring it back");
    act(&server, "undo", "4", &[]);
    assert_eq!(note(&server, DEPLOY).unwrap().preview, "run `make all`");
    act(&server, "restore", "5", &[("revision", "1")]);
    assert_eq!(note(&server, DEPLOY).unwrap().preview, "run");
}

#[test]
fn two_who_edit_one_note_get_both_texts() {
    let server = start();
    save(&server, "deploy", "their first text", "agent:builder");
    save(&server, "deploy", "their second text", "agent:builder");
    let mine = [
        ("note", "agent:builder#deploy"),
        ("base", "1"),
        ("text", "my own text"),
    ];
    let refused = post(&server, "/s/notes/notes/save", &mine);
    assert_eq!(refused.status, 422);
    assert!(refused.body.contains("Somebody else changed this note"));
    has(&refused.body, "their second text");
    assert!(refused.body.contains("my own text</textarea>"));
    assert!(refused.body.contains(r#"name="base" value="2""#));
    assert_eq!(note(&server, "agent:builder#deploy").unwrap().revision, 2);

    // A new note under an existing key gets the same answer.
    let new = [
        ("scope", "agent:builder"),
        ("key", "deploy"),
        ("base", "0"),
        ("text", "mine"),
    ];
    let refused = post(&server, "/s/notes/notes/save", &new);
    has(&refused.body, "This note exists already");
    assert!(!refused.body.contains("Somebody else"), "{}", refused.body);

    // A change by somebody else is not deleted unseen.
    let delete = [("note", "agent:builder#deploy"), ("base", "1")];
    assert_eq!(post(&server, "/s/notes/notes/delete", &delete).status, 409);
    let restore = [delete[0], delete[1], ("revision", "1")];
    assert_eq!(
        post(&server, "/s/notes/notes/restore", &restore).status,
        409
    );
    let undo = post(&server, "/s/notes/notes/undo", &delete);
    assert_ne!(undo.status, 303);
    assert_eq!(
        note(&server, "agent:builder#deploy").unwrap().preview,
        "their second text"
    );
}

#[test]
fn while_somebody_edits_a_note_the_page_says_that_it_changed() {
    let server = start();
    save(&server, "deploy", "one", "agent:builder");
    let path = "/s/notes/notes/edit?note=agent:builder%23deploy&base=1&live=1";
    assert!(!server.get(path).body.contains("changed this note"));
    save(&server, "deploy", "two", "agent:builder");
    let body = server.get(path).body;
    assert!(body.contains("agent:builder changed this note"), "{body}");
}

#[test]
fn what_was_typed_is_kept_after_an_error() {
    let server = start();
    // Put together here, so that no scanner takes this file for a leak.
    let token = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    for (text, scope, key, says) in [
        (
            format!("the token is {token}"),
            "agent:builder",
            "k",
            "holds a credential",
        ),
        (
            "my text".to_owned(),
            "agent:builder",
            "No Key",
            "is not a valid key",
        ),
        ("my text".to_owned(), "builder", "k", "is not an address"),
        ("x".repeat(5000), "agent:builder", "k", "too large"),
    ] {
        let fields = [
            ("scope", scope),
            ("key", key),
            ("text", text.as_str()),
            ("base", "0"),
        ];
        let answer = post(&server, "/s/notes/notes/save", &fields);
        assert_eq!(answer.status, 422, "{says}");
        assert!(answer.body.contains(says), "{says}: {}", answer.body);
        has(&answer.body, format!("{text}</textarea>"));
        assert!(answer.body.contains(&format!(r#"value="{key}""#)), "{says}");
    }
}

#[test]
fn the_limits_are_those_that_the_server_is_told() {
    let limits = waynote::Limits::default().max_bytes(20);
    let server = start_as(options(), |server| server.note_limits(limits));
    let save = |text: &str| {
        let fields = [("scope", "agent:builder"), ("key", "k"), ("text", text)];
        post(&server, "/s/notes/notes/save", &fields)
    };
    assert_eq!(save("short enough").status, 303);
    let refused = save("longer than twenty bytes");
    assert_eq!(refused.status, 422);
    assert!(refused.body.contains("longer than twenty bytes"));
    assert!(refused.body.contains("20"), "{}", refused.body);
}

#[test]
fn a_form_of_another_page_does_nothing() {
    let server = start();
    save(&server, "deploy", "one", "agent:builder");
    let of = [("note", "agent:builder#deploy"), ("base", "1")];
    for headers in [&["Origin: http://evil.example"][..], &["Origin: null"], &[]] {
        let answer = post_from(&server, "/s/notes/notes/delete", &of, headers);
        assert_eq!(answer.status, 403, "{headers:?}");
    }
    // A link does not delete either.
    let answer = server.get("/s/notes/notes/delete?note=agent:builder%23deploy");
    assert_eq!(answer.status, 405);
    assert!(note(&server, "agent:builder#deploy").is_some());
}

#[test]
fn a_note_with_every_trick_is_shown_as_text() {
    let server = start();
    let trick = "</textarea></script><script>alert(1)</script><img src=x onerror=alert(1)>\
                 <svg onload=alert(1)>\"'><a href=javascript:alert(1)>x</a> [x](javascript:alert(1)) {{7*7}} ${7*7}";
    save(
        &server,
        "trick",
        trick,
        "agent:\"><script>alert(1)</script>",
    );
    let log = SessionLog::new(&*server.store, "<b onclick=x>".parse().unwrap());
    log.add(
        EntryType::Stuck,
        Some(1),
        Content::text(trick).unwrap(),
        &stamp("person"),
    )
    .unwrap();
    let place = "~/<img src=x>".parse().unwrap();
    Places::new(&*server.store)
        .write(&place, Content::text(trick).unwrap(), &stamp("person"))
        .unwrap();
    save(&server, "trick", &format!("{trick} again"), "person");
    for path in "?agent=builder&session=%3Cb+onclick%3Dx%3E&place=~/%3Cimg+src=x%3E&prompt=%22%3E%3Cscript%3E
            notes notes?q=alert notes?q=%22%3E%3Cscript%3Ealert(1) notes?note=agent:builder%23trick
            notes?in=place:~/%3Cimg+src=x%3E&note=place:~/%3Cimg+src=x%3E
            notes/edit?note=agent:builder%23trick notes/new?in=session:%3Cscript%3E
            notes/new?in=%22%3E%3Cscript%3E notes?show=worth
            notes?done=%3Cscript%3E&note=%3Cscript%3E sessions?session=%3Cb+onclick%3Dx%3E notes?show=changes
            notes/history?note=agent:builder%23trick notes/history?note=%3Cscript%3E"
        .split_whitespace()
    {
        let body = server.get(&format!("/s/notes/{path}")).body;
        for bad in [
            "<script>",
            "<img",
            "<svg onload",
            "<b onclick",
            "href=\"javascript",
            "onerror=\"",
            "<a href=javascript",
        ] {
            assert!(!body.contains(bad), "{path}: {bad}\n{body}");
        }
        assert_eq!(
            body.matches("</textarea>").count(),
            usize::from(path.contains("notes/edit") || path.contains("new?in=session")),
            "{path}"
        );
    }
    let text = server.get("/s/notes/notes/text?note=agent:builder%23trick");
    assert_eq!(text.header("content-type"), "text/plain; charset=utf-8");
    assert_eq!(
        text.header("content-security-policy"),
        "default-src 'none'; sandbox"
    );
}

#[test]
fn a_preview_is_a_fragment() {
    let server = start();
    let answer = post(
        &server,
        "/s/notes/notes/preview",
        &[("text", "**a** <i>b</i>")],
    );
    assert_eq!(
        answer.body,
        "<p><strong>a</strong> &lt;i&gt;b&lt;/i&gt;</p>\n"
    );
}
