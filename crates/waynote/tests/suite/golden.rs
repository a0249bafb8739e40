//! Requests and answers of each route of the API, as the first version wrote them: every later one reads and writes the
//! same.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use waynote::context::{BlockAnswer, BlockAsk};
use waynote::store::{Answers, Ask};
use waynote::wire::{
    ApplyAnswer, ApplyRequest, AsOfRequest, ForgetRequest, HitsFound, Lease, NotesFound,
    RecordRequest, Silence,
};
use waynote::{Forgotten, Hit, Report, SearchRequest};

fn same<T: Serialize + DeserializeOwned>(forms: &Value) {
    for form in forms.as_array().unwrap() {
        let read: T =
            serde_json::from_value(form.clone()).unwrap_or_else(|error| panic!("{error}: {form}"));
        assert_eq!(serde_json::to_value(read).unwrap(), *form);
    }
}

fn route<Q: Serialize + DeserializeOwned, A: Serialize + DeserializeOwned>(name: &str) {
    let path = format!("{}/tests/golden/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let golden: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    same::<Q>(&golden["requests"]);
    same::<A>(&golden["answers"]);
}

#[test]
fn each_route_reads_and_writes_as_ever() {
    route::<Ask, Answers>("read");
    route::<AsOfRequest, NotesFound>("as-of");
    route::<SearchRequest, HitsFound>("search");
    route::<ApplyRequest, ApplyAnswer>("apply");
    route::<RecordRequest, ()>("record");
    route::<ForgetRequest, Forgotten>("forget");
    route::<BlockAsk, BlockAnswer>("context");
    route::<Lease, Silence>("silence");
    route::<(), Report>("verify");
}

#[test]
fn what_is_left_out_of_a_request_is_the_default_and_what_is_not_known_is_refused() {
    let read = |json: Value| serde_json::from_value::<Ask>(json).map_err(|error| error.to_string());
    let page = json!({ "pages": [{ "of": { "by_key": { "scope": "agent:a" } } }], "feed": [{}] });
    let ask = read(page).unwrap();
    assert_eq!((ask.pages[0].skip, ask.pages[0].limit), (0, usize::MAX));
    assert_eq!(ask.feed[0].limit, usize::MAX);
    let search: SearchRequest = serde_json::from_value(json!({ "query": "ship" })).unwrap();
    assert_eq!(search, SearchRequest::new("ship"));
    assert!(read(json!({ "weather": ["tomorrow"] })).is_err());
    let error = read(json!({ "notes": ["agent:a#K"] })).unwrap_err();
    assert!(error.starts_with("`K` is not a valid key: "), "{error}");
    let error = read(json!({ "journal": [{ "before": "x" }] })).unwrap_err();
    assert_eq!(error, "`x` is not a position");
}

#[test]
fn positions_of_matches_that_cut_a_letter_are_left_out() {
    let hit: Hit = serde_json::from_value(json!({
        "address": "agent:a#k", "revision": 1, "score": 1.0, "snippet": "é",
        "matches": [[0, 1], [0, 2], [2, 9], [2, 0]],
        "note": {
            "address": "agent:a#k", "content": "é", "preview": "é", "type": null, "iteration": null,
            "pinned": false, "revision": 1, "author": "person",
            "created_at": "2026-05-17T12:00:00Z", "updated_at": "2026-05-17T12:00:00Z",
        },
    }))
    .unwrap();
    assert_eq!(hit.snippet.matches, vec![0..2]);
}
