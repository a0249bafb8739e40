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
        ("ralph.demo.elsewhere", Value::Null),
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
      ralph.demo.elsewhere: 1 frame, no notes
      ralph.demo.inbox: 1 frame, no notes
      ralph.demo.iteration: 1 frame, no notes
      ralph.demo.task: 2 frames, no notes
      ralph.other.task: 1 frame, no notes
    ");
}

#[test]
fn frames_on_standard_input_and_no_xs() {
    let scratch = Scratch::new();
    let store = xs_store(&scratch).to_string_lossy().into_owned();
    let frames = reference("ralph/frames.ndjson")
        + "{\"topic\":\"ralph.demo.no\nnot json\n{\"topic\": 3}\n{\"topic\":\"ralph..note\",\"id\":\"x\"}\n{\"topic\":\"ralph. x .note\",\"id\":\"x\"}\n";
    let run = |words: &str| {
        let run = scratch.run(&words.replace("STORE", &store));
        run.stdin(frames.as_str()).said().replace(&store, "STORE")
    };
    let piped = run("--session striter import xs - --contents STORE");
    insta::assert_snapshot!(piped, @"
    imported session:striter#03ha3k09cz6nrbzf8vnaynffw
    1 added, 0 updated, 0 unchanged, 6 skipped
    skipped 6:
      frame 03ha3k09dfl8zmpoq9569lsgo of ralph.striter.note: its iteration is a string, not an integer
      line 55: it is no frame: EOF while parsing a string at line 1 column 23
      line 56: it is no frame: expected ident at line 1 column 2
      line 57: it is no frame: it lacks a topic or an id
      frame x of ralph..note: `` is not a valid name: it is empty
      frame x of ralph. x .note: its session's name begins or ends with a blank
    ");
    insta::assert_snapshot!(run("import xs -"), @"
    exit 2
    error: the texts of frames from standard input are missing
      add `--contents FOLDER`: the xs store's folder
    ");
    insta::assert_snapshot!(run("import xs STORE"), @"
    exit 1
    error: no xs answers at STORE/sock: No such file or directory (os error 2)
      start it with `xs serve STORE`; or import what `xs cat STORE` prints, with --contents
    ");
}

#[test]
fn a_content_that_is_not_what_its_hash_says_is_skipped() {
    let scratch = Scratch::new();
    let store = xs_store(&scratch);
    let hash = STANDARD
        .decode("R12MNmMnbVmRtYaalOjUFP3E3s7sdE6ppeQlRwd7eZc=")
        .unwrap();
    fs::write(file_of(&store, &hash), "tampered").unwrap();
    let good = STANDARD
        .decode("AQjKbpjWCe9y2n4Ept/1u33tSTmaVu0pMXKYpQVNngk=")
        .unwrap();
    fs::remove_file(file_of(&store, &good)).unwrap();
    let frames = reference("ralph/frames.ndjson").replace("\"iteration\":\"1\"", "\"iteration\":1");
    let store = store.to_string_lossy().into_owned();
    let run = scratch
        .run(&format!(
            "--session striter import xs - --contents '{store}'"
        ))
        .stdin(frames);
    insta::assert_snapshot!(run.said(), @"
    exit 1
    0 added, 0 updated, 0 unchanged, 2 skipped
    skipped 2:
      frame 03ha3k09cz6nrbzf8vnaynffw of ralph.striter.note: its content is not in the store
      frame 03ha3k09dfl8zmpoq9569lsgo of ralph.striter.note: its content does not match its hash
    ");
}
