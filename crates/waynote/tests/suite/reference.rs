//! Keys and previews are those of the Go package `notes`, case by case.

use serde_json::Value;
use waynote::{Content, Key};

fn cases(group: &str) -> Vec<Value> {
    let cases = include_str!("../fixtures/reference/gonotes/cases.json");
    let cases: Value = serde_json::from_str(cases).unwrap();
    cases[group].as_array().unwrap().clone()
}

#[test]
fn keys_are_as_recorded() {
    for case in cases("keys") {
        let key = case["key"].as_str().unwrap().parse::<Key>();
        assert_eq!(key.is_ok(), case["valid"] == true, "{case}");
        if let Ok(key) = key {
            assert_eq!(case["stored_as"], key.to_string());
        }
    }
}

#[test]
fn previews_are_as_recorded() {
    for case in cases("previews") {
        let content = Content::text(case["content"].as_str().unwrap()).unwrap();
        assert_eq!(case["preview"], content.preview(), "{case}");
    }
}
