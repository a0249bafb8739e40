//! Prompts of sessions with a store on a server: one request. Notes that come too late are added at the next prompt.

use serde_json::json;
use waynote_test_postgres::{Does, Proxy};

use super::common::{Scratch, has, until};
use super::hook_session::added;
use super::served::Served;

#[test]
fn a_prompt_is_one_request_and_goes_on_without_a_slow_server() {
    let at_server = Scratch::new();
    let server = Served::start(&at_server, [""; 0]);
    let (_, port) = server.url.rsplit_once(':').unwrap();
    let proxy = Proxy::start(port.parse().unwrap());
    let scratch = Scratch::new();
    let hook = |event: &str| {
        let input = json!({
            "session_id": "s", "cwd": scratch.home().join("work"), "prompt": "go on", "source": "startup",
        });
        let words = format!("hook claude-code {event} --no-search");
        let url = format!("http://127.0.0.1:{}/s/default", proxy.port());
        let run = scratch.run(&words).stdin(input.to_string());
        run.env("WAYNOTE_STORE", url)
    };
    let told = |event: &str| added(hook(event).env("WAYNOTE_HOOK_WAIT", "60"));
    let write = |text: &str| {
        at_server.ok(&format!("--agent other place write --at ~/work {text}"));
    };
    let requests = || {
        let log = std::fs::read_to_string(at_server.path("log"));
        log.unwrap_or_default().lines().count()
    };
    write("the-first");
    has(told("SessionStart"), "the-first");
    until("the start is logged", || requests() > 0);
    write("the-second");
    let before = requests();
    has(told("UserPromptSubmit"), "the-second");
    until("the prompt is logged", || requests() > before);
    assert_eq!(requests() - before, 1);

    write("the-third");
    proxy.does(Does::Nothing);
    let said = hook("UserPromptSubmit").said();
    proxy.does(Does::Forward);
    has(&said, "{}\nwaynote hook: nothing added: ");
    let is_late = said.contains("took too long") || said.contains("no answer within");
    assert!(is_late && said.lines().count() == 2, "{said}");
    has(told("UserPromptSubmit"), "the-third");
    assert_eq!(told("UserPromptSubmit"), "");
}
