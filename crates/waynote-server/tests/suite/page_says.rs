//! The page's messages: about things that are unreadable or missing, after an action, and about things that wait for a
//! person.

use super::page::{note, post, save, stamp};
use super::support::{RunningServer, pieces, start};
use waynote_testing::{has, lacks};

/// The errors of a page, in words.
fn problems(body: &str) -> Vec<String> {
    let parts = body.split("<div class=\"problem\" role=\"alert\">").skip(1);
    let text = |part: &str| {
        let part = part.split("</div>").next().unwrap();
        let words = pieces(part).filter(|piece| !piece.is_empty());
        words.collect::<Vec<_>>().join(" ")
    };
    parts.map(text).collect()
}

/// A loop of five iterations in the session `migrate-db`.
fn begun(server: &RunningServer) -> waynote::Loop<'_> {
    let session = "migrate-db".parse().unwrap();
    let holder = waynote::event::ProcessIdentity::new("box", "b", 4242, 1);
    let begin = waynote::loops::LoopStart::new(holder, "~/projects/shop", &|_| Some(false));
    let begin = begin.iterations(Some(5));
    waynote::Loop::begin(&*server.store, session, begin, &stamp("person")).unwrap()
}

/// The same, and in its first iteration the agent asks a question.
fn asking(server: &RunningServer) -> waynote::Loop<'_> {
    let (session, agent) = ("migrate-db".parse().unwrap(), stamp("agent:builder"));
    let of = begun(server);
    of.start_iteration(&agent).unwrap();
    let asks = waynote::session_state::AgentSignal::Blocked("May I drop the column?".into());
    waynote::loops::signal(&*server.store, &session, Some(1), &asks, &agent).unwrap();
    of
}

#[test]
fn what_cannot_be_read_is_not_replaced_by_something_else() {
    let server = start();
    save(&server, "deploy", "run `make ship`", "agent:builder");
    let mut said = Vec::new();
    for path in "?at=garbage ?when=yesterday ?step=two&of=2026-08-01T12:00:00Z ?budget=abc ?budget=20
            ?budget=9000 ?iteration=abc&session=s ?iteration=0&session=s ?style=loud ?place=relative/x
            ?agent=%00 notes?note=garbage notes?in=builder notes?in=agent:builder&after=x
            notes/new?in=builder sessions?after=x sessions?session=%00 notes?show=changes&after=x notes/history?note=garbage"
        .split_whitespace()
    {
        let answer = server.get(&format!("/s/notes/{path}"));
        assert!(
            !answer.body.contains("make ship"),
            "{path}: {}",
            answer.body
        );
        assert!(answer.body.contains("class=\"rail\""), "{path}");
        let problems = problems(&answer.body).join(" | ");
        said.push(format!("{} {path}: {problems}", answer.status));
    }
    insta::assert_snapshot!(said.join("\n"), @"
    400 ?at=garbage: `garbage` is not a time. Write a time, for example 2026-05-17T12:00:00Z.
    400 ?when=yesterday: `yesterday` is not a time. Write a time, for example 2026-05-17T12:00:00Z.
    400 ?step=two&of=2026-08-01T12:00:00Z: `two` is not a number. Follow a link of the page instead.
    400 ?budget=abc: `abc` is not a budget of this page. Write a number of tokens from 100 to 8,000.
    400 ?budget=20: `20` is not a budget of this page. Write a number of tokens from 100 to 8,000.
    400 ?budget=9000: `9000` is not a budget of this page. Write a number of tokens from 100 to 8,000.
    400 ?iteration=abc&session=s: `abc` is not an iteration. Write its number, for example 7, or leave it out.
    400 ?iteration=0&session=s: `0` is not an iteration. Write its number, for example 7, or leave it out.
    400 ?style=loud: `loud` is not a style. The styles are stable and faithful.
    400 ?place=relative/x: `relative/x` is not a place: it must start with `~` or `/`. A place is `~`, `~/x` or an absolute path.
    400 ?agent=%00: `&lt;U+0000&gt;` is not a valid name: it holds the control character U+0000. A name has 1 to 200 bytes and no control characters.
    400 notes?note=garbage: `garbage` is not an address: it must start with `place:`, `agent:` or `session:`. Write `place:~/p`, `place:~/p#key`, `agent:name#key` or `session:name#id`, with `@REVISION` for an older one.
    400 notes?in=builder: `builder` is not an address: it must start with `place:`, `agent:` or `session:`. Write `place:~/p`, `place:~/p#key`, `agent:name#key` or `session:name#id`, with `@REVISION` for an older one.
    400 notes?in=agent:builder&after=x: `x` is not a number. Follow a link of the page instead.
    400 notes/new?in=builder: `builder` is not an address: it must start with `place:`, `agent:` or `session:`. Write `place:~/p`, `place:~/p#key`, `agent:name#key` or `session:name#id`, with `@REVISION` for an older one.
    400 sessions?after=x: `x` is not a number. Follow a link of the page instead.
    400 sessions?session=%00: `&lt;U+0000&gt;` is not a valid name: it holds the control character U+0000. A name has 1 to 200 bytes and no control characters.
    400 notes?show=changes&after=x: `x` is not a number. Follow a link of the page instead.
    400 notes/history?note=garbage: `garbage` is not an address: it must start with `place:`, `agent:` or `session:`. Write `place:~/p`, `place:~/p#key`, `agent:name#key` or `session:name#id`, with `@REVISION` for an older one.
    ");
    // The typed values stay.
    let body = server.get("/s/notes/?budget=abc&agent=builder").body;
    assert!(body.contains(r#"name="budget" value="abc""#), "{body}");
}

#[test]
fn what_is_not_there_is_a_page_for_a_person_and_problem_details_for_a_program() {
    let server = start();
    let html = ["Accept: text/html,application/xhtml+xml,*/*;q=0.8"];
    let of = |method: &str, path: &str, headers: &[&str]| server.send(method, path, headers, "");
    for (method, path, status, back) in [
        ("GET", "/s/notes/nope", 404, "/s/notes/"),
        ("GET", "/s/notes/notes/%3Cscript%3E/x", 404, "/s/notes/"),
        ("GET", "/nope", 404, "/"),
        ("GET", "/s/notes/notes/delete", 405, "/s/notes/"),
    ] {
        let page = of(method, path, &html);
        assert_eq!(page.status, status, "{path}");
        assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
        has(page.header("content-security-policy"), "default-src 'none'");
        assert!(page.body.contains("There is no such page"), "{}", page.body);
        has(&page.body, format!("href=\"{back}\""));
        assert!(!page.body.contains("<script>"), "{}", page.body);
        let program = of(method, path, &["Accept: */*"]);
        assert_eq!(program.problem().0, status);
    }
    let api = of("GET", "/s/notes/api/v1/nope", &html);
    assert_eq!(api.problem(), (404, "no_such_route".into()));
}

#[test]
fn a_new_note_takes_a_path_or_a_session_with_a_type() {
    let server = start();
    let save = |fields: &[(&str, &str)]| post(&server, "/s/notes/notes/save", fields);
    let of_place = save(&[("scope", "~/projects/shop"), ("text", "Rust workspace.")]);
    assert_eq!(of_place.status, 303, "{}", of_place.body);
    let written = note(&server, "place:~/projects/shop").unwrap();
    assert_eq!(written.preview, "Rust workspace.");

    let entry = [("scope", "session:nightly"), ("text", "Use the VPN.")];
    let refused = save(&entry);
    assert_eq!(refused.status, 422);
    assert_eq!(
        problems(&refused.body),
        ["Choose a type. The notes of a session are listed by type."]
    );
    let refused = save(&[&entry[..], &[("kind", "tip"), ("iteration", "x")]].concat());
    assert_eq!(
        problems(&refused.body),
        ["`x` is not an iteration. Write its number, for example 7, or leave it out."]
    );
    let added = save(&[&entry[..], &[("kind", "tip"), ("iteration", "#7")]].concat());
    assert_eq!(added.status, 303, "{}", added.body);
    let shown = server.get(added.header("location")).body;
    assert!(shown.contains("Use the VPN."), "{shown}");

    // The form has the fields for every scope, and begins with the first empty one.
    for (path, field) in [
        (
            "new",
            r#"name="scope" value="" list="scope-names" required autofocus"#,
        ),
        ("new?in=agent:builder", r#"name="key" value="" autofocus"#),
        ("new?in=session:nightly", r#"<select name="kind" autofocus"#),
        (
            "edit?note=place:~/projects/shop",
            r#"rows="18" required autofocus"#,
        ),
    ] {
        let form = server.get(&format!("/s/notes/notes/{path}")).body;
        assert_eq!(form.matches("autofocus").count(), 1, "{path}");
        assert!(form.contains(field), "{path}: {form}");
        let fields = form.matches("data-of=").count();
        assert_eq!(
            fields,
            if path.starts_with("new") { 3 } else { 0 },
            "{path}"
        );
    }
}

#[test]
fn an_undo_says_what_it_took_back() {
    let server = start();
    save(&server, "deploy", "one", "agent:builder");
    save(&server, "deploy", "two", "agent:builder");
    let of = ("note", "agent:builder#deploy");
    let notice = |act: &str, base: &str| {
        let done = post(
            &server,
            &format!("/s/notes/notes/{act}"),
            &[of, ("base", base)],
        );
        let body = server.get(done.header("location")).body;
        let notice = body.split("data-notice=\"\">").nth(1).unwrap();
        pieces(notice.split("</div>").next().unwrap()).collect::<String>()
    };
    assert_eq!(
        notice("undo", "2"),
        "Undone: the save of agent:builder#deploy by agent:builder (revision 2).Redo"
    );
    assert_eq!(notice("redo", "3"), "Redone.");
    assert_eq!(
        notice("delete", "4"),
        "Deleted. Its history stays, and it can be brought back.Undo"
    );
    assert_eq!(
        notice("undo", "5"),
        "Undone: the delete of agent:builder#deploy by a person (revision 5).Redo"
    );
}

#[test]
fn a_note_that_a_link_opens_is_chosen_in_the_list_and_the_tree() {
    let server = start();
    for number in 0..60 {
        save(&server, &format!("k{number}"), "text", "agent:builder");
    }
    let chosen = |path: &str| {
        let body = server.get(&format!("/s/notes/{path}")).body;
        let main = body.split("<main").nth(1).unwrap();
        let parts = main.split("aria-current=\"true\"").skip(1);
        let text = |part: &str| pieces(part.split("</a>").next().unwrap()).collect::<String>();
        parts.map(text).collect::<Vec<_>>()
    };
    // The note was written first, so its own place is on the second page.
    assert_eq!(
        chosen("notes?note=agent:builder%23k0"),
        ["builder60", "#k012:00text"]
    );
    assert_eq!(
        chosen("notes?in=&note=agent:builder%23k59"),
        ["All notes60", "#k59 builder12:00text"]
    );
    let body = server.get("/s/notes/notes?q=text").body;
    assert!(body.contains("the 60 best hits"), "{body}");
    let body = server.get("/s/notes/notes?q=k7").body;
    assert!(body.contains(">1 hit<"), "{body}");
}

#[test]
fn a_question_that_waits_is_on_every_page() {
    let server = start();
    has(
        &server.get("/s/notes/").body,
        "<title>Now · notes · waynote</title>",
    );
    asking(&server);
    for (path, title) in [
        ("", "Now"),
        ("notes", "Notes"),
        ("sessions", "Sessions"),
        ("notes?show=changes", "Notes"),
    ] {
        let body = server.get(&format!("/s/notes/{path}")).body;
        assert!(
            body.contains(&format!("<title>(1) {title} · notes")),
            "{path}: {body}"
        );
        has(
            &body,
            r#"<span class="badge">1<span class="unseen"> question</span></span>"#,
        );
    }
    let now = server.get("/s/notes/").body;
    let banner = now
        .split("data-live=\"waits\">")
        .nth(1)
        .unwrap()
        .split("</div>")
        .next()
        .unwrap();
    insta::assert_snapshot!(banner, @r#"<div class="notice warn" role="status"><span><a class="link" href="/s/notes/sessions?session=migrate-db"><strong>migrate-db</strong></a> asks: May I drop the column?</span><a class="btn" href="/s/notes/sessions">Answer</a>"#);
    let answer = [("session", "migrate-db"), ("answer", "Yes.")];
    post(&server, "/s/notes/sessions/answer", &answer);
    let now = server.get("/s/notes/").body;
    lacks(&now, "class=\"badge\"");
    lacks(&now, "(1)");
    lacks(&now, "asks:");
}

#[test]
fn a_loop_is_stopped_and_a_session_archived() {
    let server = start();
    let of = asking(&server);
    let shown = || server.get("/s/notes/sessions?session=migrate-db").body;
    let session = [("session", "migrate-db")];
    has(shown(), ">Stop after #1</button>");
    lacks(shown(), ">Archive</button>");
    post(&server, "/s/notes/sessions/stop", &session);
    has(shown(), "It stops after #1.");
    lacks(shown(), ">Stop after #1</button>");
    of.end(
        waynote::event::EndReason::Interrupted,
        &stamp("agent:builder"),
    )
    .unwrap();
    let row = "<tr class=\"open\" data-key=\"migrate-db\"";
    has(shown(), row);
    post(&server, "/s/notes/sessions/archive", &session);
    has(shown(), ">Put back on the list</button>");
    lacks(shown(), row);
    let undo = [("session", "migrate-db"), ("undo", "yes")];
    post(&server, "/s/notes/sessions/archive", &undo);
    has(shown(), ">Archive</button>");
    has(shown(), row);
    has(shown(), "<td class=\"num\">1 of 5</td>");
    let answer = [("session", "migrate-db"), ("answer", "Yes, *drop* it.")];
    post(&server, "/s/notes/sessions/answer", &answer);
    has(shown(), "Yes, <em>drop</em> it.");
    // Iterations are numbered across loops.
    let again = begun(&server);
    again.start_iteration(&stamp("agent:builder")).unwrap();
    has(shown(), "<td class=\"num\">2 of 6</td>");
}

#[test]
fn a_session_that_waits_says_how_to_go_on() {
    let server = start();
    let of = asking(&server);
    let agent = stamp("agent:builder");
    let done = waynote::event::IterationOutcome::Exited { code: 0 };
    let took = std::time::Duration::from_millis(120);
    of.end_iteration(1, waynote::loops::IterationEnd::new(done, took, 1), &agent)
        .unwrap();
    of.end(waynote::event::EndReason::Blocked, &agent).unwrap();
    let shown = |part: &str| {
        let body = server.get("/s/notes/sessions?session=migrate-db").body;
        let part = body
            .split(part)
            .nth(1)
            .unwrap_or_else(|| panic!("{part}: {body}"));
        pieces(part.split("</p>").next().unwrap()).collect::<String>()
    };
    let go_on = "<p class=\"go-on\">";
    assert_eq!(
        shown(go_on),
        "Answer its question. Then run waynote loop --continue migrate-db on the machine where it ran, in ~/projects/shop: it goes on with the answer."
    );
    assert_eq!(
        shown("<p class=\"num\">"),
        "1 of the 5 iterations of this run are done."
    );
    let body = server.get("/s/notes/sessions?session=migrate-db").body;
    has(&body, "0.1 s in all");
    lacks(&body, "10 min");
    let answer = [("session", "migrate-db"), ("answer", "Yes.")];
    post(&server, "/s/notes/sessions/answer", &answer);
    assert_eq!(
        shown(go_on),
        "Run waynote loop --continue migrate-db on the machine where it ran, in ~/projects/shop: it goes on with the answer."
    );
    // If place and budget were not recorded, no other block is taken for the one that was read.
    let given = body
        .split("class=\"link\" href=\"/s/notes/?")
        .nth(1)
        .unwrap();
    let given = given.split('"').next().unwrap().replace("&amp;", "&");
    let page = server.get(&format!("/s/notes/?{given}")).body;
    let says =
        "Place and budget were not recorded when iteration 1 of <strong>migrate-db</strong> began.";
    assert!(page.contains(says), "{page}");
}
