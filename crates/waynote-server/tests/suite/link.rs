//! A server for one browser: the link works once, and the cookie is the only other way in.

use std::sync::Arc;

use jiff::Timestamp;
use waynote::store::NotesBeside;
use waynote::{Address, Checkout, Content, Lineage, Note, Place, Scope, Source};
use waynote_server::{Log, Options, Rights, Server, Stores};

use super::page::{note, post_from, save};
use super::support::{Response, RunningServer, now, open as file, options, start_as, start_with};
use waynote_testing::has;

fn once() -> Options {
    Options {
        one_time_link: true,
        ..options()
    }
}

/// A server with its link.
fn open() -> (RunningServer, String) {
    let server = start_with(once());
    let link = link(&server);
    (server, link)
}

fn link(server: &RunningServer) -> String {
    let link = server.link.as_ref().unwrap();
    format!("/open{}", link.split_once("/open").unwrap().1)
}

/// The cookie that an answer sets, as a browser sends it back.
fn cookie(answer: &Response) -> String {
    let set = answer.header("set-cookie");
    let (cookie, attributes) = set.split_once(';').unwrap();
    assert_eq!(attributes, " Path=/; HttpOnly; SameSite=Strict");
    format!("Cookie: {cookie}")
}

#[test]
fn the_link_works_once_and_the_cookie_is_the_way_in() {
    let (server, link) = open();
    let first = server.get(&link);
    assert_eq!(first.status, 200);
    // Not a redirection: a browser would not send the cookie of another site's redirection.
    assert_eq!(first.header("refresh"), "0; url=/");
    assert_eq!(first.header("cache-control"), "no-store");
    let cookie = cookie(&first);
    for path in ["/s/notes/", "/s/notes/api/v1/sessions", "/s/notes/notes"] {
        let shown = server.send("GET", path, &[&cookie], "");
        assert_eq!(shown.status, 200, "{path}");
    }
    let body = r#"{"content": "run `make ship`"}"#;
    let note = "/s/notes/api/v1/notes/agent%3Abuilder%23deploy";
    assert_eq!(server.send("PUT", note, &[&cookie], body).status, 201);
    // The same browser may open it again, and nobody else.
    assert_eq!(server.send("GET", &link, &[&cookie], "").status, 200);
    let second = server.get(&link);
    assert_eq!(second.status, 401);
    assert!(!second.headers.contains_key("set-cookie"));
    assert!(second.body.contains("works once"), "{}", second.body);
}

#[test]
fn without_the_cookie_nobody_gets_in() {
    let (server, link) = open();
    let port = server.address.port();
    for header in [
        "X-None: ".to_owned(),
        "Authorization: Bearer x".to_owned(),
        format!("Cookie: waynote-{port}=x; waynote=x"),
        format!("Cookie: waynote-{port}="),
    ] {
        for (method, path) in [
            ("GET", "/s/notes/api/v1/changes"),
            ("POST", "/s/notes/mcp"),
            ("PUT", "/s/notes/api/v1/notes/agent%3Aa%23b"),
        ] {
            let answer = server.send(method, path, &[&header], "");
            assert_eq!(answer.status, 401, "{method} {path} {header}");
        }
        let page = server.send("GET", "/s/notes/", &[&header], "");
        assert_eq!(page.status, 303);
        let shown = server.send("GET", page.header("location"), &[&header], "");
        assert_eq!(shown.status, 401);
        has(&shown.body, "open in another browser");
    }
    for key in ["/open", "/open?key=", "/open?key=00"] {
        assert_eq!(server.get(key).status, 401, "{key}");
    }
    // A prefetch by a browser or a mail program does not use it up.
    for (method, headers) in [
        ("GET", vec!["Sec-Purpose: prefetch;prerender"]),
        ("POST", vec![]),
        ("HEAD", vec![]),
    ] {
        let answer = server.send(method, &link, &headers, "");
        assert!(matches!(answer.status, 401 | 405), "{method}");
    }
    // Neither does another site's page, by its own name for this machine.
    let foreign = server.send("GET", &link, &["Host: evil.example"], "");
    assert_eq!(foreign.problem(), (403, "foreign_host".into()));
    assert_eq!(server.get(&link).status, 200);
}

#[test]
fn neither_refused_requests_nor_tokens_lock_out_the_browser() {
    let (mut server, link) = open();
    let cookie = cookie(&server.get(&link));
    let path = "/s/notes/api/v1/sessions";
    let mut refused = 0;
    while server.get(path).status != 429 {
        refused += 1;
        assert!(refused < 200);
    }
    let token = server.token("ci", Rights::Read);
    for header in [cookie, format!("Authorization: Bearer {token}")] {
        assert_eq!(server.send("GET", path, &[&header], "").status, 200);
    }
    server.stop();
    let key = link.split_once('=').unwrap().1;
    let log = server.log.text();
    assert!(log.contains("\"/open\"") && !log.contains(key), "{log}");
}

#[test]
fn a_link_is_for_this_machine_alone() {
    let mut options = once();
    options.behind_proxy = true;
    let folder = tempfile::tempdir().unwrap();
    let stores = Stores::default().with("notes", file(&folder.path().join("notes.db")));
    let server = Server::new(&stores, options, Arc::new(now), Log::to(std::io::sink()));
    let error = server.bind().map(drop).unwrap_err();
    insta::assert_snapshot!(error, @"a one-time link is for this machine alone, and others can reach 127.0.0.1:0");
}

/// A note that the repository shares.
#[derive(Debug)]
struct SharedNote(Address);

impl NotesBeside for SharedNote {
    fn of_scopes(&self, scopes: &[Scope]) -> Vec<Note> {
        let mut notes = self.all();
        notes.retain(|note| scopes.contains(&note.address.scope()));
        notes
    }

    fn all(&self) -> Vec<Note> {
        let content = Content::text("ask ops first").unwrap();
        vec![Note {
            address: self.0.clone(),
            preview: content.preview(),
            content,
            kind: None,
            iteration: None,
            resolved_by: None,
            cites: Vec::new(),
            pinned: false,
            revision: 0,
            author: "shared".parse().unwrap(),
            created_at: Timestamp::UNIX_EPOCH,
            updated_at: Timestamp::UNIX_EPOCH,
            source: Source::Shared,
        }]
    }
}

#[test]
fn the_page_of_one_browser_opens_where_it_was_started() {
    let server = start_as(once(), |server| {
        let in_shop = |place: &Place| {
            let shop: Place = "repo:github.com/acme/shop".parse().unwrap();
            let checkout = Checkout {
                root: "~/projects/shop".parse().unwrap(),
                name: shop.clone(),
                also: Vec::new(),
            };
            Lineage::new(place.clone(), [place.clone(), shop]).in_checkouts(vec![checkout])
        };
        let place = "~/projects/shop".parse().unwrap();
        server.opens_at(
            place,
            "scout".parse().unwrap(),
            Arc::new(in_shop),
            Arc::new(|| {
                vec![Arc::new(SharedNote(
                    "repo:github.com/acme/shop#build".parse().unwrap(),
                )) as _]
            }),
        )
    });
    let cookie = cookie(&server.get(&link(&server)));
    save(&server, "deploy", "text", "agent:builder");
    let get = |path: &str| server.send("GET", path, &[&cookie], "").body;
    let now = get("/s/notes/");
    has(&now, r#"name="place" value="~/projects/shop""#);
    has(&now, r#"name="agent" value="scout""#);
    // The form for a note offers the places whose notes apply there.
    let new = get("/s/notes/notes/new");
    has(
        &new,
        r#"<option value="repo:github.com/acme/shop">place</option>"#,
    );
    // A path gets the repository's name, an address keeps its own.
    for (scope, saved) in [
        ("~/projects/shop", "repo:github.com/acme/shop#k"),
        ("place:~/projects/shop", "place:~/projects/shop#k"),
    ] {
        let form = [("scope", scope), ("key", "k"), ("text", "x"), ("base", "0")];
        let origin = format!("Origin: http://{}", server.address);
        let answer = post_from(&server, "notes/save", &form, &[&cookie, &origin]);
        assert_eq!(answer.status, 303, "{}", answer.body);
        assert!(note(&server, saved).is_some(), "{saved}");
    }
    // A note that the repository shares is read there, and changed elsewhere.
    has(get("/s/notes/"), "(shared)");
    let shared = get("/s/notes/notes?note=repo%3Agithub.com%2Facme%2Fshop%23build");
    has(&shared, r#"<span class="chip ">shared</span>"#);
    has(&shared, "ask ops first");
    for word in ["Delete", "revision <b", "written "] {
        assert!(!shared.contains(word), "{word}");
    }
    // The list of all has it too, and they are as many as it says.
    let all = get("/s/notes/notes");
    has(&all, "All notes<span class=\"dimmer num\">4</span>");
    assert_eq!(all.matches("data-key=").count(), 4, "{all}");
    has(&all, r#"<span class="chip ">shared</span> ask ops first"#);
    let other = get("/s/notes/?place=~/other");
    has(other, r#"name="place" value="~/other""#);
}
