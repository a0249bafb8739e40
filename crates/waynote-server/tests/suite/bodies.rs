//! Bodies of requests that are not what the document says: each is a problem with a hint.

use super::support::start;

#[test]
fn a_body_that_is_not_as_documented_is_a_problem_with_a_hint() {
    let server = start();
    let mut said = Vec::new();
    for (path, body) in [
        ("read", r#"{"journal":[{"before":7}]}"#),
        ("read", r#"{"journal":[{"before":"x"}]}"#),
        ("read", r#"{"feed":[{"after":"x"}]}"#),
        ("read", r#"{"notes":["agent:a#k","agent:a#K"]}"#),
        ("read", r#"{"nothing":[]}"#),
        ("read", r#"{"version":true} {}"#),
        ("read", "{"),
        ("silence", r#"{"session":"","lease":1}"#),
        (
            "record",
            r#"{"session":"s","events":[{"event":4,"iteration":1,"summary":"x"}],"stamp":{"now":"2026-08-01T12:00:00Z","author":"person"}}"#,
        ),
    ] {
        let answer = server.send("POST", &format!("/s/notes/api/v1/{path}"), &[], body);
        let problem = answer.json();
        assert_eq!(answer.status, 400, "{body}: {problem}");
        assert!(
            problem["hint"]
                .as_str()
                .is_some_and(|hint| !hint.is_empty()),
            "{body}: {problem}"
        );
        said.push(format!(
            "{path} {body}\n  {}",
            problem["detail"].as_str().unwrap()
        ));
    }
    insta::assert_snapshot!(said.join("\n"), @r#"
    read {"journal":[{"before":7}]}
      the body cannot be read: journal[0].before: invalid type: integer `7`, expected a string at line 1 column 23
    read {"journal":[{"before":"x"}]}
      the body cannot be read: journal[0].before: `x` is not a position at line 1 column 26
    read {"feed":[{"after":"x"}]}
      the body cannot be read: feed[0].after: `x` is not a cursor at line 1 column 22
    read {"notes":["agent:a#k","agent:a#K"]}
      the body cannot be read: notes[1]: `K` is not a valid key: a key has 1 to 64 characters (a-z, 0-9, `_`, `-`) and begins with a letter or a digit; for example `k` at line 1 column 34
    read {"nothing":[]}
      the body cannot be read: nothing: unknown field `nothing`, expected one of `notes`, `scopes`, `kinds`, `pages`, `counts`, `summaries`, `histories`, `noted_before`, `journal`, `entry_types`, `last_iterations`, `events`, `leases`, `feed`, `operations`, `steps`, `all_leases`, `event_sessions`, `store_id`, `version` at line 1 column 10
    read {"version":true} {}
      the body cannot be read: trailing characters at line 1 column 18
    read {
      the body cannot be read: EOF while parsing an object at line 1 column 1
    silence {"session":"","lease":1}
      the body cannot be read: session: `` is not a valid name: it is empty: a name has 1 to 200 bytes and no control characters at line 1 column 13
    "#);
}
