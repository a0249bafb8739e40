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
    insta::assert_snapshot!(said.join("\n"), @"");
}
