//! Bodies of requests that are not what the document says: each is a problem with a hint.

use super::support::start;

#[test]
fn a_body_that_is_not_as_documented_is_a_problem_with_a_hint() {
    let server = start();
    let mut said = Vec::new();
    for (path, body) in [
        ("read", r#"{"journal":[{"before":7}]}"#),
        ("read", r#"{"notes":["agent:a#k","agent:a#K"]}"#),
        ("read", r#"{"nothing":[]}"#),
        ("read", r#"{"version":true} {}"#),
        ("search", r#" ["flaky"]"#),
        (
            "record",
            r#"{"session":"s","events":[{"event":4,"iteration":1,"summary":"x"}],"stamp":{"now":"2026-08-01T12:00:00Z","author":"person"}}"#,
        ),
    ] {
        let answer = server.send("POST", &format!("/s/notes/api/v1/{path}"), &[], body);
        assert_eq!(answer.problem().0, 400, "{body}");
        let problem = answer.json();
        let detail = problem["detail"].as_str().unwrap();
        said.push(format!("{path} {body}\n  {detail}"));
    }
    insta::assert_snapshot!(said.join("\n"), @r#"
    read {"journal":[{"before":7}]}
      the body cannot be read: journal[0].before: invalid type: integer `7`, expected a string at line 1 column 23
    read {"notes":["agent:a#k","agent:a#K"]}
      the body cannot be read: notes[1]: `K` is not a valid key: a key has 1 to 64 characters (a-z, 0-9, `_`, `-`) and begins with a letter or a digit; for example `k` at line 1 column 34
    read {"nothing":[]}
      the body cannot be read: nothing: unknown field `nothing`, expected one of `notes`, `scopes`, `kinds`, `pages`, `counts`, `summaries`, `histories`, `noted_before`, `journal`, `entry_types`, `last_iterations`, `events`, `leases`, `feed`, `operations`, `steps`, `all_leases`, `event_sessions`, `store_id`, `version` at line 1 column 10
    read {"version":true} {}
      the body cannot be read: trailing characters at line 1 column 18
    search  ["flaky"]
      the body cannot be read: a list is given for an object with named fields
    record {"session":"s","events":[{"event":4,"iteration":1,"summary":"x"}],"stamp":{"now":"2026-08-01T12:00:00Z","author":"person"}}
      the body cannot be read: events[0].event: invalid type: integer `4`, expected variant identifier at line 1 column 35
    "#);
}
