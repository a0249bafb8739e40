//! ralph.nu's notes in xs: import, export, and frames that stay where they are.

use std::fs;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::common::{Scratch, fields, reference};
use super::fake_xs::{FakeXs, Version, file_of};
use super::reference_ralph::xs_store;

fn run(scratch: &Scratch, xs: &FakeXs, words: &str) -> String {
    let store = xs.store.to_string_lossy().into_owned();
    scratch
        .waynote(words.split(' ').chain([store.as_str()]))
        .said()
        .replace(&store, "STORE")
}

#[test]
fn there_and_back() {
    let scratch = Scratch::new();
    let store = xs_store(&scratch);
    let xs = FakeXs::serving(&store, Version::Append, &reference("ralph/frames.ndjson"));
    let run = |words: &str| run(&scratch, &xs, words);
    insta::assert_snapshot!(run("--session other import xs"), @"
    imported session:other#03ha3k08tdraudghg7a4irh1x
    imported session:other#03ha3k099xte7zgye1uwyq849
    imported session:other#03ha3k09ae7zgaf9kyfmxt54j
    3 added, 0 updated, 0 unchanged, 0 skipped
    not imported:
      ralph.other.iteration: 1 frame, no notes
    ");
    scratch
        .run("--session other --iteration 7 log add --type tip 'back to xs\n'")
        .ok();
    insta::assert_snapshot!(run("--session other export xs"), @"wrote 1 note to ralph.other.note of STORE, 3 unchanged");
    let appended = xs.appended();
    let [(topic, body, meta)] = appended.as_slice() else {
        panic!("{appended:?}");
    };
    assert_eq!(
        (topic.as_str(), body.as_str()),
        ("ralph.other.note", "back to xs\n\n")
    );
    assert_eq!(fields(meta, "action type iteration"), "add tip 7");
    // Another import recognizes the exported notes.
    insta::assert_snapshot!(run("--session other import xs"), @"
    0 added, 0 updated, 4 unchanged, 0 skipped
    not imported:
      ralph.other.iteration: 1 frame, no notes
    ");
    let all = run("import xs");
    assert!(
        all.contains("38 added, 0 updated, 4 unchanged, 4 skipped\n"),
        "{all}"
    );
}

/// A log with two entries.
fn noted() -> Scratch {
    let scratch = Scratch::new();
    scratch.ok("--session demo --iteration 1 log add one --type tip");
    scratch.ok("--session demo --iteration 2 log add two --type stuck");
    scratch
}

#[test]
fn an_xs_before_0_9_gets_frames_under_the_right_topic_once() {
    let scratch = noted();
    let xs = FakeXs::serving(&scratch.path("old"), Version::ByTopic, "");
    insta::assert_snapshot!(run(&scratch, &xs, "--session demo export xs"), @"wrote 2 notes to ralph.demo.note of STORE, 0 unchanged");
    insta::assert_snapshot!(run(&scratch, &xs, "--session demo export xs"), @"wrote 0 notes to ralph.demo.note of STORE, 2 unchanged");
    let topics: Vec<String> = xs.appended().into_iter().map(|(topic, ..)| topic).collect();
    assert_eq!(topics, ["ralph.demo.note", "ralph.demo.note"]);
    let other = Scratch::new();
    insta::assert_snapshot!(run(&other, &xs, "import xs"), @"
    imported session:demo#03g56gadhc9giz28czyb1mrr5
    imported session:demo#03g56gadhc9giz28d00a2qtq9
    2 added, 0 updated, 0 unchanged, 0 skipped
    ");
}

#[test]
fn a_frame_that_xs_files_elsewhere_is_taken_back() {
    let scratch = noted();
    let xs = FakeXs::serving(&scratch.path("xs"), Version::Mislabelled, "");
    insta::assert_snapshot!(run(&scratch, &xs, "--session demo export xs"), @"
    exit 1
    error: xs filed frame 03zzzzzzzzzzzzzzzzzzzz000 under `append/ralph.demo.note` and not under `ralph.demo.note`; the frame was removed again
      a topic has letters, digits, `_`, `-` and single dots alone; docs/sources.md has the versions of xs that are known
    ");
    assert_eq!(xs.appended(), []);
}

#[test]
fn a_session_that_no_topic_can_name_is_refused() {
    let scratch = Scratch::new();
    let xs = FakeXs::serving(&scratch.path("xs"), Version::Append, "");
    let store = xs.store.to_string_lossy().into_owned();
    let said = scratch
        .waynote(["--session", "my run", "export", "xs", store.as_str()])
        .said();
    insta::assert_snapshot!(said, @"
    exit 1
    error: xs takes no topic `ralph.my run.note`
      a topic has letters, digits, `_`, `-` and single dots alone; docs/sources.md has the versions of xs that are known
    ");
}

#[test]
fn what_is_no_note_is_counted_and_stays() {
    let scratch = Scratch::new();
    let mut frames = String::new();
    for (topic, meta) in [
        ("ralph.demo.iteration", json!({"action": "start", "n": 1})),
        (
            "ralph.demo.task",
            json!({"action": "add", "status": "remaining"}),
        ),
        ("ralph.demo.task", json!({"action": "status", "id": "x"})),
        ("ralph.demo.inbox", json!({"status": "unread"})),
        ("ralph.demo.control", json!({"action": "session_complete"})),
        ("ralph.other.task", json!({"action": "add"})),
        ("xs.start", Value::Null),
    ] {
        let frame = json!({ "topic": topic, "id": "03ha3k09cz6nrbzf8vnaynffw", "meta": meta });
        frames += &format!("{frame}\n");
    }
    let xs = FakeXs::serving(&scratch.path("xs"), Version::Append, &frames);
    insta::assert_snapshot!(run(&scratch, &xs, "import xs"), @"
    0 added, 0 updated, 0 unchanged, 0 skipped
    not imported:
      ralph.demo.control: 1 frame, no notes
      ralph.demo.inbox: 1 frame, no notes
      ralph.demo.iteration: 1 frame, no notes
      ralph.demo.task: 2 frames, no notes
      ralph.other.task: 1 frame, no notes
    ");
    let words = format!("--session demo import xs {} --json", xs.store.display());
    let of_demo = &scratch.json(&words)["not_imported"];
    assert_eq!(of_demo.as_array().unwrap().len(), 4, "{of_demo}");
    assert_eq!(
        of_demo[0],
        json!({ "what": "ralph.demo.control", "reason": "1 frame, no notes" })
    );
}
