//! The server of an agent that a loop runs.

use serde_json::json;
use waynote::event::IterationOutcome;
use waynote::loops::{IterationEnd, Loop, LoopStart};
use waynote::session_state::{AgentSignal, last_signal};
use waynote::{Options, SqliteStore, Stamp};
use waynote_loop::identity;

use super::common::{NOW, Scratch, fields, has};
use super::loop_stops::looping;
use super::mcp_client::{Client, assert_calls, assert_short};

fn stamp() -> Stamp {
    Stamp::new(NOW.parse().unwrap(), "person".parse().unwrap())
}

fn store(scratch: &Scratch) -> SqliteStore {
    SqliteStore::open(scratch.store(), &Options::default()).unwrap()
}

/// A loop in session `s`, run by this very process.
fn begin<'s>(store: &'s SqliteStore) -> Loop<'s> {
    let begin = LoopStart::new(identity::current(), "/p", &|_| Some(false));
    Loop::begin(store, "s".parse().unwrap(), begin, &stamp()).unwrap()
}

fn tools(client: &mut Client) -> Vec<String> {
    let tools = client.tools();
    tools.iter().map(|tool| fields(tool, "name")).collect()
}

#[test]
fn two_tools_are_offered_inside_a_loop_alone() {
    let scratch = Scratch::new();
    let store = store(&scratch);
    let run = begin(&store);
    // Between two iterations there is nobody to listen.
    let mut between = Client::start(&scratch, "mcp");
    assert!(!tools(&mut between).contains(&"blocked".to_owned()));
    run.start_iteration(None, &stamp()).unwrap();
    // Nothing in the environment: the processes above the server tell.
    let mut inside = Client::start(&scratch, "mcp");
    let offered = tools(&mut inside);
    assert_eq!(offered.len(), 10);
    assert_eq!(offered[8..], ["session_complete", "blocked"]);
    assert_short(&inside.tools(), 1000);
    // Clients hand on some of the loop's variables and not others.
    for words in ["--session s mcp", "--session s --iteration 1 mcp"] {
        let mut named = Client::start(&scratch, words);
        assert_eq!(tools(&mut named), offered, "{words}");
    }
    // Another session's server is not the loop's agent.
    let mut other = Client::start(&scratch, "--session t mcp");
    assert_eq!(tools(&mut other).len(), 8);
}

#[test]
#[cfg(target_os = "linux")]
fn an_agent_speaks_to_its_loop() {
    let scratch = Scratch::new();
    let store = store(&scratch);
    let run = begin(&store);
    run.start_iteration(None, &stamp()).unwrap();
    let mut client = Client::start(&scratch, "mcp");
    assert_calls!(client, @r#"
    $ note_add {"content":"the door is locked","type":"stuck"}
    Note added: [stuck] the door is locked

    $ note_add {"content":"the window is shut","type":"stuck"}
    Note added: [stuck] the window is shut

    $ note_add {"content":"try","type":"tip","resolves":"roof"}
    error: `roof` matches no open stuck note
    name one by its address: session:s#03g56gadhc9giz28d01050k2c: the window is shut; session:s#03g56gadhc9giz28czz13wi38: the door is locked

    $ note_add {"content":"oil the lock","type":"learning","resolves":"door"}
    Note added: [learning] oil the lock; the stuck note is resolved

    $ blocked {"question":"which key?"}
    question recorded; the loop stops after this iteration and waits for a person
    "#);
    // A second signal would take the place of the first: the question would reach no one.
    assert_calls!(client, @r#"
    $ session_complete {"summary":"inside"}
    error: iteration 1 has already asked a person
    only the first one counts: end your turn, and put what else a person should know into a note
    "#);
    let asked = Some(AgentSignal::Blocked("which key?".into()));
    assert_eq!(last_signal(&store, &"s".parse().unwrap()).unwrap(), asked);
    let done = IterationOutcome::Exited { code: 0 };
    let turn = IterationEnd::new(done, std::time::Duration::ZERO, 1);
    run.end_iteration(1, turn, &stamp()).unwrap();
    assert_calls!(client, @r#"
    $ session_complete {"summary":"too late"}
    error: no iteration of session s is running
    only the agent of a running loop can use this
    "#);
    // A server that lives on notes in the iteration that runs by then.
    run.start_iteration(None, &stamp()).unwrap();
    client.call("note_add", json!({ "content": "later", "type": "tip" }));
    let list = scratch.json("--session s log list --json");
    assert_eq!(fields(&list, "3/content 3/iteration"), "later 2");
}

/// The loop's prompt had the block: a hook adds it after a compaction alone.
#[test]
fn a_hook_inside_a_loop_does_not_repeat_the_prompt() {
    let scratch = Scratch::new();
    scratch.ok("place write canary");
    let hook = |source: &str| {
        let payload =
            json!({ "session_id": source, "hook_event_name": "SessionStart", "source": source });
        format!("echo '{payload}' | \"$WAYNOTE\" hook claude-code SessionStart; echo")
    };
    let script = format!("cat > /dev/null; {}; {}", hook("startup"), hook("compact"));
    let said = looping(&scratch, "--iterations 1", &script).ok();
    assert_eq!(said.matches("canary").count(), 1, "{said}");
    has(said.trim_end().lines().last().unwrap(), "canary");
}

/// The loop's prompt had the block: it does not come again with the first answer.
#[test]
#[cfg(target_os = "linux")]
fn the_block_is_not_delivered_twice() {
    let scratch = Scratch::new();
    scratch.ok("place write canary");
    let store = store(&scratch);
    let run = begin(&store);
    run.start_iteration(None, &stamp()).unwrap();
    let mut inside = Client::start(&scratch, "mcp");
    let first = inside.result("note_list", json!({})).to_string();
    assert!(!first.contains("as they were before this call"), "{first}");
}
