//! The page's messages: about things that are unreadable or missing, after an action, and about things that wait for a
//! person.

use waynote::event::{EndReason, IterationOutcome};
use waynote::loops::IterationEnd;

use super::page::{act, asking, begun, post, save, stamp};
use super::support::{pieces, start};
use waynote_testing::{has, lacks};

/// The errors of a page, in words.
fn problems(body: &str) -> String {
    let parts = body.split("<div class=\"problem\" role=\"alert\">").skip(1);
    let text = |part: &str| {
        let part = part.split("</div>").next().unwrap();
        let words = pieces(part).filter(|piece| !piece.is_empty());
        words.collect::<Vec<_>>().join(" ")
    };
    parts.map(text).collect::<Vec<_>>().join(" | ")
}

/// The text of the part of a page that begins with these words.
fn part(body: &str, begin: &str, end: &str) -> String {
    let part = body.split(begin).nth(1);
    let part = part.unwrap_or_else(|| panic!("{begin}: {body}"));
    pieces(part.split(end).next().unwrap()).collect()
}

#[test]
fn what_cannot_be_read_is_not_replaced_by_something_else() {
    let server = start();
    save(&server, "deploy", "run `make ship`", "agent:builder");
    let mut said = Vec::new();
    for path in "?when=yesterday ?step=two&of=2026-08-01T12:00:00Z ?budget=20 ?iteration=0&session=s ?style=loud
            ?agent=%00 notes?note=garbage notes/new?in=builder sessions?after=x"
        .split_whitespace()
    {
        let answer = server.get(&format!("/s/notes/{path}"));
        lacks(&answer.body, "make ship");
        has(&answer.body, "class=\"rail\"");
        let problems = problems(&answer.body);
        said.push(format!("{} {path}: {problems}", answer.status));
    }
    insta::assert_snapshot!(said.join("\n"), @"
    400 ?when=yesterday: `yesterday` is not a time. Write a time, for example 2026-05-17T12:00:00Z.
    400 ?step=two&of=2026-08-01T12:00:00Z: `two` is not a number. Follow a link of the page instead.
    400 ?budget=20: `20` is not a budget of this page. Write a number of tokens from 100 to 8,000.
    400 ?iteration=0&session=s: `0` is not an iteration. Write its number, for example 7, or leave it out.
    400 ?style=loud: `loud` is not a style. The styles are stable and faithful.
    400 ?agent=%00: `&lt;U+0000&gt;` is not a valid name: it holds the control character U+0000. A name has 1 to 200 bytes and no control characters.
    400 notes?note=garbage: `garbage` is not an address: it must start with `place:`, `repo:`, `agent:` or `session:`. Write `place:~/p`, `place:~/p#key`, `repo:host/name//dir#key`, `agent:name#key` or `session:name#id`, with `@REVISION` for an older one.
    400 notes/new?in=builder: `builder` is not an address: it must start with `place:`, `repo:`, `agent:` or `session:`. Write `place:~/p`, `place:~/p#key`, `repo:host/name//dir#key`, `agent:name#key` or `session:name#id`, with `@REVISION` for an older one.
    400 sessions?after=x: `x` is not a number. Follow a link of the page instead.
    ");
    // The typed values stay.
    let body = server.get("/s/notes/?budget=abc&agent=builder").body;
    has(&body, r#"name="budget" value="abc""#);
}

#[test]
fn what_is_not_there_is_a_page_for_a_person_and_problem_details_for_a_program() {
    let server = start();
    let html = ["Accept: text/html,application/xhtml+xml,*/*;q=0.8"];
    for (path, status, back) in [
        ("/s/notes/notes/%3Cscript%3E/x", 404, "/s/notes/"),
        ("/nope", 404, "/"),
        ("/s/notes/notes/delete", 405, "/s/notes/"),
    ] {
        let page = server.send("GET", path, &html, "");
        assert_eq!(page.status, status, "{path}");
        assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
        has(page.header("content-security-policy"), "default-src 'none'");
        has(&page.body, "There is no such page");
        has(&page.body, format!("href=\"{back}\""));
        lacks(&page.body, "<script>");
        assert_eq!(server.get(path).problem().0, status);
    }
    let api = server.send("GET", "/s/notes/api/v1/nope", &html, "");
    assert_eq!(api.problem(), (404, "no_such_route".into()));
}

#[test]
fn an_undo_says_what_it_took_back() {
    let server = start();
    save(&server, "deploy", "one", "agent:builder");
    save(&server, "deploy", "two", "agent:builder");
    for (what, base, said) in [
        (
            "undo",
            "2",
            "Undone: the save of agent:builder#deploy by agent:builder (revision 2).Redo",
        ),
        ("redo", "3", "Redone."),
        (
            "delete",
            "4",
            "Deleted. Its history stays, and it can be brought back.Undo",
        ),
        (
            "undo",
            "5",
            "Undone: the delete of agent:builder#deploy by a person (revision 5).Redo",
        ),
    ] {
        let body = server.get(&act(&server, what, base, &[])).body;
        assert_eq!(part(&body, "data-notice=\"\">", "</div>"), said);
    }
}

#[test]
fn a_note_that_a_link_opens_is_chosen_in_the_list_and_the_tree() {
    let server = start();
    for number in 0..60 {
        save(&server, &format!("k{number}"), "text", "agent:builder");
    }
    // The note was written first, so its own place is on the second page.
    for (path, chosen) in [
        ("note=agent:builder%23k0", ["builder60", "#k012:00text"]),
        (
            "in=&note=agent:builder%23k59",
            ["All notes60", "#k59 builder12:00text"],
        ),
    ] {
        let body = server.get(&format!("/s/notes/notes?{path}")).body;
        let main = body.split("<main").nth(1).unwrap();
        let parts = main.split("aria-current=\"true\"").skip(1);
        let text = |part: &str| pieces(part.split("</a>").next().unwrap()).collect::<String>();
        assert_eq!(parts.map(text).collect::<Vec<_>>(), chosen);
    }
    has(
        &server.get("/s/notes/notes?q=text").body,
        "the 60 best hits",
    );
    has(&server.get("/s/notes/notes?q=k7").body, ">1 hit<");
}

#[test]
fn a_question_that_waits_is_on_every_page() {
    let server = start();
    asking(&server, "migrate-db");
    let badge = r#"<span class="badge">1<span class="unseen"> question</span></span>"#;
    for (path, title) in [("", "Now"), ("notes", "Notes"), ("sessions", "Sessions")] {
        let body = server.get(&format!("/s/notes/{path}")).body;
        has(&body, format!("<title>(1) {title} · notes"));
        has(&body, badge);
    }
    let now = server.get("/s/notes/").body;
    let banner = part(&now, "data-live=\"waits\">", "</div>");
    assert_eq!(banner, "migrate-db asks: May I drop the column?Answer");
    let answer = [("session", "migrate-db"), ("answer", "Yes, *drop* it.")];
    post(&server, "sessions/answer", &answer);
    let now = server.get("/s/notes/").body;
    has(&now, "<title>Now · notes · waynote</title>");
    lacks(&now, "class=\"badge\"");
    lacks(&now, "asks:");
    let answered = server.get("/s/notes/sessions?session=migrate-db").body;
    has(&answered, "Yes, <em>drop</em> it.");
}

#[test]
fn a_loop_is_stopped_and_a_session_archived() {
    let server = start();
    let of = asking(&server, "migrate-db");
    let shown = || server.get("/s/notes/sessions?session=migrate-db").body;
    let session = [("session", "migrate-db")];
    has(shown(), ">Stop after #1</button>");
    lacks(shown(), ">Archive</button>");
    post(&server, "sessions/stop", &session);
    has(shown(), "It stops after #1.");
    lacks(shown(), ">Stop after #1</button>");
    of.end(EndReason::Interrupted, None, &stamp("agent:builder"))
        .unwrap();
    let row = "<tr class=\"open\" data-key=\"migrate-db\"";
    has(shown(), row);
    post(&server, "sessions/archive", &session);
    has(shown(), ">Put back on the list</button>");
    lacks(shown(), row);
    let undo = [session[0], ("undo", "yes")];
    post(&server, "sessions/archive", &undo);
    has(shown(), ">Archive</button>");
    has(shown(), row);
    has(shown(), "<td class=\"num\">1 of 5</td>");
    // Iterations are numbered across loops.
    let answer = [("session", "migrate-db"), ("answer", "Yes.")];
    post(&server, "sessions/answer", &answer);
    let again = begun(&server, "migrate-db");
    again
        .start_iteration(None, &stamp("agent:builder"))
        .unwrap();
    has(shown(), "<td class=\"num\">2 of 6</td>");
}

#[test]
fn a_session_that_waits_says_how_to_go_on() {
    let server = start();
    let of = asking(&server, "migrate-db");
    let agent = stamp("agent:builder");
    let took = std::time::Duration::from_millis(120);
    let done = IterationEnd::new(IterationOutcome::Exited { code: 0 }, took, 1);
    of.end_iteration(1, done, &agent).unwrap();
    of.end(EndReason::Blocked, None, &agent).unwrap();
    let shown = || server.get("/s/notes/sessions?session=migrate-db").body;
    let body = shown();
    let go_on = |body: &str| part(body, "<p class=\"go-on\">", "</p>");
    assert_eq!(
        go_on(&body),
        "Answer its question. Then run waynote loop --continue migrate-db on the machine where it ran, in ~/projects/shop: it goes on with the answer."
    );
    has(&body, "1 of the 5 iterations of this run are done.");
    has(&body, "0.1 s in all");
    let answer = [("session", "migrate-db"), ("answer", "Yes.")];
    post(&server, "sessions/answer", &answer);
    has(go_on(&shown()), "Run waynote loop --continue migrate-db on");
    // If place and budget were not recorded, no other block is taken for the one that was read.
    let given = body.split("class=\"link\" href=\"/s/notes/?").nth(1);
    let given = given.unwrap().split('"').next().unwrap();
    let page = server.get(&format!("/s/notes/?{}", given.replace("&amp;", "&")));
    has(&page.body, "Place and budget were not recorded");
}
