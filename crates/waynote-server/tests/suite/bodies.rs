//! Bodies of requests that are not what the document says: each is a problem with a hint.

use super::support::start;

#[test]
fn a_body_that_is_not_as_documented_is_a_problem_with_a_hint() {
    let server = start();
    let mut said = Vec::new();
    for (path, body) in [
        ("read", "[[null,null]]"),
        ("read", r#"{"journal":[[null,null]]}"#),
        ("read", r#"{"journal":[{"before":7}]}"#),
        ("read", r#"{"nothing":[]}"#),
        ("read", r#"{"version":true} {}"#),
        ("read", "{"),
        ("search", r#"["ship"]"#),
        (
            "apply",
            r#"{"changes":[{"delete":["agent:a#k",1]}],"stamp":["2026-08-01T12:00:00Z","person"]}"#,
        ),
        ("silence", r#"["nightly",1]"#),
        ("silence", r#"{"session":"","lease":1}"#),
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
    read [[null,null]]
      the body cannot be read: invalid type: list, expected an object with named fields at line 1 column 1
    read {"journal":[[null,null]]}
      the body cannot be read: journal[0]: invalid type: list, expected an object with named fields at line 1 column 13
    read {"journal":[{"before":7}]}
      the body cannot be read: journal[0].before: invalid type: integer `7`, expected a string at line 1 column 23
    read {"nothing":[]}
      the body cannot be read: nothing: unknown field `nothing`, expected one of `notes`, `scopes`, `kinds`, `pages`, `counts`, `summaries`, `histories`, `noted_before`, `journal`, `entry_types`, `last_iterations`, `events`, `leases`, `all_leases`, `event_sessions`, `feed`, `operations`, `store_id`, `version` at line 1 column 10
    read {"version":true} {}
      the body cannot be read: trailing characters at line 1 column 18
    read {
      the body cannot be read: EOF while parsing an object at line 1 column 1
    search ["ship"]
      the body cannot be read: invalid type: list, expected an object with named fields at line 1 column 1
    apply {"changes":[{"delete":["agent:a#k",1]}],"stamp":["2026-08-01T12:00:00Z","person"]}
      the body cannot be read: changes[0].delete: invalid type: list, expected an object with named fields at line 1 column 23
    silence ["nightly",1]
      the body cannot be read: invalid type: list, expected an object with named fields at line 1 column 1
    silence {"session":"","lease":1}
      `` is not a valid name: it is empty
    "#);
}
