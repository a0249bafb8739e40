//! The page over a real socket: what a browser without a script does.

use waynote::event::ProcessIdentity;
use waynote::loops::{self, LoopStart};
use waynote::session_state::AgentSignal;
use waynote::{
    Address, Content, EntryType, Loop, Notebook, Places, Reader, SaveOptions, SessionLog, Stamp,
};

use super::support::{Response, RunningServer, now, options, start, start_as};
use waynote_testing::{has, lacks};

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

/// A loop of five iterations in a session.
pub(super) fn begun<'s>(server: &'s RunningServer, session: &str) -> Loop<'s> {
    let holder = ProcessIdentity::new("box", "b", 4242, 1);
    let begin = LoopStart::new(holder, "~/projects/shop", &|_| Some(false)).iterations(Some(5));
    let session = session.parse().unwrap();
    Loop::begin(&*server.store, session, begin, &stamp("person")).unwrap()
}

/// The same, and in its first iteration the agent asks a question.
pub(super) fn asking<'s>(server: &'s RunningServer, session: &str) -> Loop<'s> {
    let of = begun(server, session);
    let (session, agent) = (session.parse().unwrap(), stamp("agent:builder"));
    let number = Some(of.start_iteration(None, &agent).unwrap());
    let asks = AgentSignal::Blocked("May I drop the column?".into());
    loops::signal(&*server.store, &session, number, &asks, &agent).unwrap();
    of
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
    let path = format!("/s/notes/{path}");
    server.send("POST", &path, &headers, &body.finish())
}

const DEPLOY: &str = "agent:builder#deploy";

/// Does something with the note, as a page of this revision. Returns the path that the browser goes on to.
pub(super) fn act(server: &RunningServer, act: &str, base: &str, more: &[(&str, &str)]) -> String {
    let fields = [&[("note", DEPLOY), ("base", base)], more].concat();
    let done = post(server, &format!("notes/{act}"), &fields);
    assert_eq!(done.status, 303, "{act}: {}", done.body);
    done.header("location").to_owned()
}

#[test]
fn a_page_lets_nothing_foreign_in_and_its_files_are_kept() {
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
        assert_eq!(
            answer.header("content-security-policy"),
            "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; \
             form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
        );
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
        assert_eq!(answer.header("referrer-policy"), "same-origin");
        assert_eq!(answer.header("cache-control"), "no-store");
        for bad in ["style=", "onclick", "<script>", "http://", "https://"] {
            lacks(&answer.body, bad);
        }
    }
    assert_eq!(server.get("/").header("location"), "/s/notes/");
    assert_eq!(server.get("/s/notes").header("location"), "/s/notes/");
    let page = server.get("/s/notes/").body;
    let mut files = Vec::new();
    for part in page.split('"').filter(|part| part.starts_with("/page/")) {
        let answer = server.get(part);
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
    let written = post(&server, "notes/save", &new);
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
    let live = "/s/notes/notes/edit?note=agent:builder%23deploy&base=1&live=1";
    lacks(&server.get(live).body, "changed this note");
    save(&server, "deploy", "their second text", "agent:builder");
    has(&server.get(live).body, "agent:builder changed this note");
    let seen = [("note", DEPLOY), ("base", "1")];
    let mine = [seen[0], seen[1], ("text", "my own text")];
    let refused = post(&server, "notes/save", &mine);
    assert_eq!(refused.status, 422);
    for part in [
        "This note was changed meanwhile",
        "their second text",
        "my own text</textarea>",
        r#"name="base" value="2""#,
    ] {
        has(&refused.body, part);
    }

    // A new note under an existing key gets the same answer.
    let new = [
        ("scope", "agent:builder"),
        ("key", "deploy"),
        ("base", "0"),
        ("text", "mine"),
    ];
    let refused = post(&server, "notes/save", &new);
    has(&refused.body, "This note exists already");
    lacks(&refused.body, "changed meanwhile");

    // A change by somebody else is not deleted unseen.
    let restore = [seen[0], seen[1], ("revision", "1")];
    assert_eq!(post(&server, "notes/delete", &seen).status, 409);
    assert_eq!(post(&server, "notes/restore", &restore).status, 409);
    assert_ne!(post(&server, "notes/undo", &seen).status, 303);
    assert_eq!(note(&server, DEPLOY).unwrap().revision, 2);
}

#[test]
fn what_was_typed_is_kept_after_an_error() {
    let limits = waynote::Limits::default().max_bytes(100);
    let server = start_as(options(), |server| server.note_limits(limits));
    // Put together here, so that no scanner takes this file for a leak.
    let token = format!("the token is ghp_{}", "a1B2c3D4e5F6".repeat(3));
    let long = "x".repeat(101);
    for (text, scope, key, says) in [
        (&*token, "agent:builder", "k", "holds a credential"),
        ("my text", "agent:builder", "No Key", "is not a valid key"),
        ("my text", "builder", "k", "is not an address"),
        (&long, "agent:builder", "k", "too large"),
        ("my text", "session:nightly", "k", "Choose a type."),
    ] {
        let fields = [("scope", scope), ("key", key), ("text", text)];
        let answer = post(&server, "notes/save", &fields);
        assert_eq!(answer.status, 422, "{says}");
        has(&answer.body, says);
        has(&answer.body, format!("{text}</textarea>"));
        has(&answer.body, format!(r#"value="{key}""#));
    }
    // A path is a place, and a session takes a type.
    for (scope, more, shown) in [
        ("~/projects/shop", ("key", ""), "Rust workspace."),
        ("session:nightly", ("kind", "tip"), "Use the VPN."),
    ] {
        let fields = [("scope", scope), ("text", shown), more];
        let added = post(&server, "notes/save", &fields);
        assert_eq!(added.status, 303, "{}", added.body);
        has(&server.get(added.header("location")).body, shown);
    }
}

#[test]
fn a_form_of_another_page_does_nothing() {
    let server = start();
    save(&server, "deploy", "one", "agent:builder");
    let of = [("note", DEPLOY), ("base", "1")];
    for headers in [&["Origin: http://evil.example"][..], &["Origin: null"], &[]] {
        let answer = post_from(&server, "notes/delete", &of, headers);
        assert_eq!(answer.status, 403, "{headers:?}");
    }
    // A link does not delete either.
    let answer = server.get("/s/notes/notes/delete?note=agent:builder%23deploy");
    assert_eq!(answer.status, 405);
    assert!(note(&server, DEPLOY).is_some());
}

#[test]
fn a_note_with_every_trick_is_shown_as_text() {
    let server = start();
    let trick = "</textarea></script><script>alert(1)</script><img src=x onerror=alert(1)>\
                 <svg onload=alert(1)>\"'><a href=javascript:alert(1)>x</a> [x](javascript:alert(1)) {{7*7}} ${7*7}";
    let author = "agent:\"><script>alert(1)</script>";
    save(&server, "trick", trick, author);
    save(&server, "trick", &format!("{trick} again"), "person");
    let (text, person) = (Content::text(trick).unwrap(), stamp("person"));
    let log = SessionLog::new(&*server.store, "<b onclick=x>".parse().unwrap());
    log.add(EntryType::Stuck, Some(1), text.clone(), &person)
        .unwrap();
    let place = "~/<img src=x>".parse().unwrap();
    let places = Places::new(&*server.store);
    places.write(&place, text, &person).unwrap();
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
        let is_form = path.contains("notes/edit") || path.contains("new?in=session");
        let ends = body.matches("</textarea>").count();
        assert_eq!(ends, usize::from(is_form), "{path}");
    }
    let text = server.get("/s/notes/notes/text?note=agent:builder%23trick");
    assert_eq!(text.header("content-type"), "text/plain; charset=utf-8");
    let policy = "default-src 'none'; sandbox";
    assert_eq!(text.header("content-security-policy"), policy);
}

#[test]
fn forms_and_links_take_places_of_a_repository() {
    let server = start();
    let src = "repo:github.com/acme/shop//src";
    let post = |path: &str, fields: &[(&str, &str)]| post(&server, path, fields);
    for (scope, key, text) in [
        ("repo:GitHub.com/acme/shop", "build", "cargo build"),
        (src, "", "Prices are in cents"),
        (src, "port", "3000"),
    ] {
        let fields = [
            ("scope", scope),
            ("key", key),
            ("text", text),
            ("base", "0"),
        ];
        let saved = post("notes/save", &fields);
        assert_eq!(saved.status, 303, "{saved:?}");
    }
    let address = format!("{src}#port");
    let changed = [("note", &*address), ("text", "3001"), ("base", "1")];
    assert_eq!(post("notes/save", &changed).status, 303);
    let get = |path: &str, fields: &[(&str, &str)]| {
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(fields);
        let page = server.get(&format!("/s/notes/{path}?{}", query.finish()));
        assert_eq!(page.status, 200, "{page:?}");
        page.body
    };
    let now = get("", &[("place", src), ("agent", "builder")]);
    for part in ["cargo build", "Prices are in cents", "3001"] {
        has(&now, part);
    }
    lacks(
        get("", &[("place", "repo:github.com/acme/api")]),
        "cargo build",
    );
    let list = get("notes", &[("in", src)]);
    has(&list, "Prices are in cents");
    lacks(&list, "cargo build");
    // The tree has the directory below its repository.
    has(&list, ">repo:github.com/acme/shop<");
    has(&list, ">src<");
    has(get("notes", &[("note", src)]), "<em>repo:</em>");
    has(get("notes/edit", &[("note", &address)]), "3001");
    has(get("notes/history", &[("note", &address)]), "3000");
    has(get("notes/new", &[("in", src)]), format!("value=\"{src}\""));
    let deleted = post("notes/delete", &[("note", &address), ("base", "2")]);
    assert_eq!(deleted.status, 303, "{deleted:?}");
    assert!(note(&server, &address).is_none());
}
