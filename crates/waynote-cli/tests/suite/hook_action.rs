//! Hooks at tools: the notes of the paths that they touch, and those that match a failure, once each.

use std::borrow::Borrow;

use serde_json::{Value, json};

use super::common::{Run, Scratch, assert_transcript, git, has, lacks};
use super::mcp_client::Client;

const KEPT: &str = "Notes kept by waynote";

/// A project with notes on directories below it, and another project.
fn noted() -> Scratch {
    let scratch = Scratch::new();
    scratch.ok("place write --at ~/work of-the-start");
    scratch.ok("place write --at ~/work/lib/pay 'cents, never euros'");
    scratch.ok("place write --at ~/work/web 'no inline styles'");
    scratch.ok("place write --at ~/other 'of another project'");
    scratch.put("work/lib/pay/x.rs", "");
    scratch.put("work/web/app.css", "");
    scratch.put("other/y.rs", "");
    scratch
}

fn hook(scratch: &Scratch, words: &str, session: &str, more: impl Borrow<Value>) -> Run {
    let mut input = json!({ "session_id": session, "cwd": scratch.home().join("work") });
    let members = more.borrow().as_object().unwrap().clone();
    input.as_object_mut().unwrap().extend(members);
    scratch
        .run(&format!("hook {words}"))
        .stdin(input.to_string())
        .patient()
}

fn read(path: &str) -> Value {
    json!({ "tool_name": "Read", "tool_input": { "file_path": path } })
}

/// What a hook of Claude Code says in a session that reads a style sheet.
fn told(scratch: &Scratch, session: &str) -> String {
    hook(
        scratch,
        "claude-code PreToolUse",
        session,
        read("web/app.css"),
    )
    .said()
}

fn runs(command: &str) -> Value {
    json!({ "tool_name": "Bash", "tool_input": { "command": command } })
}

#[test]
fn each_client_is_told_in_its_schema_once() {
    let scratch = noted();
    let path = scratch
        .home()
        .join("work/lib/pay/x.rs")
        .display()
        .to_string();
    for (words, more) in [
        ("claude-code PreToolUse", read(&path)),
        ("codex PreToolUse", runs("sed -n 1,9p lib/pay/x.rs")),
        (
            "gemini AfterTool",
            json!({ "tool_name": "read_file", "tool_input": { "file_path": "lib/pay/x.rs" } }),
        ),
        (
            "cursor postToolUse",
            json!({ "tool_name": "Write", "tool_input": { "path": path } }),
        ),
        (
            "opencode AfterTool",
            json!({ "tool_name": "edit", "tool_input": { "filePath": path } }),
        ),
        (
            "crush PreToolUse",
            json!({ "event": "PreToolUse", "tool_name": "view", "tool_input": { "file_path": path } }),
        ),
    ] {
        let session = words.replace(' ', "-");
        let said = hook(&scratch, words, &session, more.clone()).said();
        let note = "- `place:~/work/lib/pay`: `cents, never euros`";
        has(&said, format!("{KEPT} for the paths of this action. "));
        has(&said, note);
        // The answer has the form of the one at the start.
        let event = words.split_once(' ').unwrap().1;
        let is_of_event = said.contains(&format!("\"hookEventName\":\"{event}\""));
        let is_plain = ["cursor", "opencode"]
            .iter()
            .any(|client| words.starts_with(client));
        assert_eq!(is_of_event, !is_plain, "{said}");
        let again = hook(&scratch, words, &session, more).said();
        assert_eq!(again, "", "{words}: told twice");
    }
}

#[test]
fn shared_notes_of_the_checkouts_that_a_tool_touches_are_told() {
    let scratch = noted();
    for (checkout, folder) in [("work", ""), ("work/vendor/lib", "src/"), ("other", "src/")] {
        let note = format!("{checkout}/.waynote/{folder}README.md");
        scratch.put(&note, format!("shared in {checkout}"));
        git(&scratch.home().join(checkout), "init -q");
    }
    scratch.put("work/vendor/lib/src/x.rs", "");
    scratch.put("other/src/x.rs", "");
    let said = |path: &str, trusts: &str| {
        let run = hook(&scratch, "claude-code PreToolUse", path, read(path));
        run.env("WAYNOTE_ACTION_ROOTS", "~/other")
            .env("WAYNOTE_TRUST", trusts)
            .said()
    };
    for (path, text) in [
        ("vendor/lib/src/x.rs", "shared in work/vendor/lib"),
        ("../other/src/x.rs", "shared in other"),
    ] {
        lacks(said(path, "~/work"), text);
        has(said(path, "~/**"), text);
    }
}

#[test]
fn nothing_is_said_where_nothing_applies() {
    let scratch = noted();
    let in_other = || read("../other/y.rs");
    for more in [
        in_other(),
        runs("echo hello"),
        json!({}),
        json!({ "tool_name": 5, "tool_input": [1] }),
        // Without a session's name it would be told at every tool.
        json!({ "session_id": null, "tool_input": { "file_path": "web/app.css" } }),
        // Home is no project, so a session there gets nothing of what is below it.
        json!({ "cwd": scratch.home(), "tool_input": { "file_path": "work/web/app.css" } }),
    ] {
        let run = hook(&scratch, "claude-code PreToolUse", "s", &more);
        assert_eq!(run.cwd(scratch.home()).said(), "", "{more}");
    }
    let run = hook(&scratch, "claude-code PreToolUse", "s", in_other());
    has(
        run.env("WAYNOTE_ACTION_ROOTS", "~/other").said(),
        "of another project",
    );
}

#[test]
fn a_checkout_among_further_roots_has_its_notes_by_name() {
    let scratch = noted();
    let lib = scratch.home().join("other");
    git(&lib, "init -q");
    git(&lib, "remote add origin https://github.com/acme/lib");
    scratch.ok("place write --at repo:github.com/acme/lib 'by its name'");
    let run = hook(
        &scratch,
        "claude-code PreToolUse",
        "s",
        read("../other/y.rs"),
    );
    has(
        run.env("WAYNOTE_ACTION_ROOTS", "~/other").said(),
        "by its name",
    );
}

#[test]
fn a_repository_is_the_root_and_a_compaction_tells_again() {
    let scratch = noted();
    git(&scratch.home().join("work"), "init -q");
    let said = |event: &str, mut more: Value| {
        more["cwd"] = json!(scratch.home().join("work/web"));
        hook(&scratch, &format!("codex {event}"), "s", more).said()
    };
    let pay = || said("PreToolUse", read("../lib/pay/x.rs"));
    has(pay(), "cents");
    assert_eq!(pay(), "");
    let compact = json!({ "source": "compact", "turn_id": "t" });
    has(said("SessionStart", compact), "of-the-start");
    has(pay(), "cents");
    // A subagent has its own conversation.
    let subagents = || {
        let mut call = read("../lib/pay/x.rs");
        call["agent_id"] = "a1".into();
        said("PreToolUse", call)
    };
    has(subagents(), "cents");
    assert_eq!(subagents(), "");
}

#[test]
fn a_failure_gets_the_notes_that_match_it() {
    let scratch = noted();
    scratch.ok("key save ship 'E77 from make ship: renew vault.token with vault login'");
    let output = "ship: error E77: vault.token is older than 12 hours";
    let said = |words: &str, session: &str, response: Value| {
        let mut call = runs("make ship");
        let members = response.as_object().unwrap().clone();
        call.as_object_mut().unwrap().extend(members);
        hook(&scratch, words, session, call).said()
    };
    for (words, fails, is_quiet) in [
        (
            "claude-code PostToolUseFailure",
            json!({ "error": format!("Exit code 2\n{output}") }),
            json!({ "error": output, "is_interrupt": true }),
        ),
        (
            "codex PostToolUse",
            json!({ "tool_response": format!("error: stopped\n{output}") }),
            // It is not sure that this failed.
            json!({ "tool_response": output }),
        ),
        (
            "gemini AfterTool",
            json!({ "tool_response": { "llmContent": format!("Output: {output}\nExit Code: 2") } }),
            json!({ "tool_response": { "llmContent": output } }),
        ),
    ] {
        let session = words.replace(' ', "-");
        assert_eq!(said(words, &session, is_quiet), "", "{words}");
        let told = said(words, &session, fails);
        has(&told, format!("{KEPT} that match this failure. "));
        has(
            told,
            "`E77 from make ship: renew vault.token with vault login`",
        );
    }
}

#[test]
fn an_agent_that_noted_nothing_is_asked_once() {
    let scratch = noted();
    // The store's clock and that of the ledger's files have to agree.
    let stop = |session: &str, client: &str, more: Value| {
        let run = hook(&scratch, client, session, more);
        run.env("WAYNOTE_NOW", "2099-01-01T00:00:00Z").said()
    };
    let edit = |session: &str, words: &str| {
        let call = json!({ "tool_name": "Edit", "tool_input": { "file_path": "main.rs" } });
        assert_eq!(hook(&scratch, words, session, call).said(), "");
    };
    let claudes = |session: &str| stop(session, "claude-code Stop", json!({}));
    assert_eq!(claudes("s"), "", "it changed nothing");
    edit("s", "claude-code PreToolUse");
    let active = json!({ "stop_hook_active": true });
    assert_eq!(stop("s", "claude-code Stop", active), "");
    insta::assert_snapshot!(claudes("s"), @r#"{"decision":"block","reason":"waynote: this session changed files and has left no note. What should the next run know that the code does not say: a decision, a trap, something that failed? Save it with `note_save`, in a sentence or two. If there is nothing, say so and end."}"#);
    assert_eq!(claudes("s"), "", "asked twice");
    edit("c", "cursor postToolUse");
    assert_eq!(stop("c", "cursor stop", json!({ "status": "aborted" })), "");
    has(
        stop("c", "cursor stop", json!({ "status": "completed" })),
        "{\"followup_message\":\"waynote: ",
    );
    edit("g", "gemini AfterTool");
    has(
        stop("g", "gemini AfterAgent", json!({})),
        "{\"decision\":\"deny\",\"reason\":\"waynote: ",
    );
    edit("n", "claude-code PreToolUse");
    let saves = scratch.run("--author agent:a key save k v");
    saves.env("WAYNOTE_NOW", "2099-01-01T00:00:00Z").ok();
    assert_eq!(claudes("n"), "", "it has noted something");
}

#[test]
fn a_prompt_switches_delivery_off_for_its_turn() {
    let scratch = noted();
    let prompt = |said: &str| {
        let said = json!({ "prompt": said });
        hook(&scratch, "claude-code UserPromptSubmit", "s", said).said()
    };
    let reads = |subagent: Value| {
        let mut call = read("web/app.css");
        call["agent_id"] = subagent;
        hook(&scratch, "claude-code PreToolUse", "s", call).said()
    };
    assert_eq!(prompt("fix it\nwaynote: off"), "{}\n");
    assert_eq!(reads(json!(null)) + &reads(json!("a1")), "");
    has(prompt("go on"), "of-the-start");
    has(reads(json!(null)), "inline");
    // Qwen Code sends an empty prompt with each result of a tool.
    let qwen = |words: &str, more: Value| hook(&scratch, words, "q", more).said();
    for said in ["waynote: off", ""] {
        qwen("qwen UserPromptSubmit", json!({ "prompt": said }));
    }
    assert_eq!(qwen("qwen PostToolUse", read("web/app.css")), "");
}

#[test]
fn a_pause_is_for_a_place_or_a_session() {
    let scratch = noted();
    let told = |session: &str| told(&scratch, session);
    assert_transcript!(scratch, @"
    $ waynote pause
    ~/work: hooks deliver no notes until `waynote pause --end`
    ");
    assert_eq!(told("a"), "");
    insta::assert_snapshot!(scratch.ok("pause --end"), @"~/work: hooks deliver notes");
    insta::assert_snapshot!(scratch.ok("pause --end"), @"~/work: hooks deliver notes");
    assert!(told("a").contains("inline"));
    assert!(
        scratch
            .ok("pause b --for 2h")
            .starts_with("session b: hooks deliver no notes until 20")
    );
    assert_eq!(told("b"), "");
    assert!(told("c").contains("inline"));
    scratch.ok("pause b");
    insta::assert_snapshot!(scratch.ok("pause --list"), @"session b: hooks deliver no notes until `waynote pause --end`");
    let off = hook(
        &scratch,
        "claude-code UserPromptSubmit",
        "c",
        json!({ "prompt": "waynote: off\nfix it" }),
    );
    assert_eq!(off.said(), "{}\n");
    scratch.ok("pause b --end");
    has(
        scratch.ok("pause --list"),
        "nothing is paused: hooks deliver notes everywhere",
    );
}

#[test]
fn what_a_session_was_given_is_listed() {
    let scratch = noted();
    insta::assert_snapshot!(scratch.ok("why"), @"no agent session has received notes yet");
    let run = runs("cat web/app.css");
    let told = hook(&scratch, "claude-code PreToolUse", "s", run).said();
    assert!(told.contains("inline"));
    let listed = scratch.ok("why s");
    let without_times: Vec<&str> = listed
        .lines()
        .map(|line| line.split_once("Z  ").map_or(line, |(_, rest)| rest))
        .collect();
    insta::assert_snapshot!(without_times.join("\n"), @"
    session s
    WHEN                  EVENT       ACTION                TOKENS  NOTE                SHOWN
    PreToolUse  Bash cat web/app.css  32      place:~/work/web@1  whole
    deliveries: 1, tokens: 32
    ");
    let told: Value = serde_json::from_str(&scratch.ok("--json why")).unwrap();
    assert_eq!(told[0]["notes"][0]["address"], "place:~/work/web");
    assert_eq!(told[0]["action"], "Bash cat web/app.css");
}

#[test]
fn a_call_of_the_server_answers_a_hook_and_both_tell_once() {
    let scratch = noted();
    let mut client = Client::start(&scratch, "mcp");
    let listed = client.request("tools/list", json!({})).to_string();
    lacks(listed, "\"hook\"");
    let mut served = |session: &str, path: &str| {
        let call = json!({
            "client": "claude-code", "event": "PreToolUse", "session_id": session, "agent_id": "${agent_id}",
            "cwd": scratch.home().join("work"), "tool_name": "Read", "file_path": path, "command": "",
        });
        client.call("hook", call)
    };
    let run = |session: &str| told(&scratch, session);
    let answer: Value = serde_json::from_str(&served("s", "web/app.css")).unwrap();
    let context = &answer["hookSpecificOutput"]["additionalContext"];
    has(context.as_str().unwrap(), "no inline styles");
    assert_eq!(run("s"), "", "told twice");
    has(run("t"), "inline");
    assert_eq!(served("t", "web/app.css"), "", "told twice");
    assert_eq!(served("s", "main.rs"), "");
}
