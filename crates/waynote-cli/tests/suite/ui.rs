//! `waynote ui`: the page of the store for the browser of one person.

use std::collections::BTreeSet;
use std::process::Command;

use insta::assert_snapshot;
use rustix::process::Signal;

use super::common::{Scratch, git, has, until};
use super::http::get;
use super::served::Running;

/// A page, and the lines that the program prints for it.
struct Page {
    running: Running,
    lines: [String; 3],
}

impl Page {
    fn start(scratch: &Scratch, command: Command) -> Self {
        let mut running = Running::start(scratch, command);
        let lines = std::array::from_fn(|_| running.line());
        Self { running, lines }
    }

    fn link(&self) -> &str {
        self.lines[1].trim()
    }

    /// Opens the link. Returns the views of the store as that browser gets them.
    fn opened(&self) -> impl Fn(&str) -> String + use<> {
        let opened = get(self.link(), None);
        let (_, set) = opened.split_once("set-cookie: ").unwrap();
        let cookie = set.split_once(';').unwrap().0.to_owned();
        let (url, _) = self.link().split_once("/open?").unwrap();
        let store = format!("{url}/s/default/");
        move |view| get(&format!("{store}{view}"), Some(&cookie))
    }

    /// Ends it as Ctrl-C does.
    fn end(self) -> (Option<i32>, String) {
        self.running.end(Signal::INT)
    }
}

#[test]
fn the_page_is_for_whoever_opens_the_link_first() {
    let scratch = Scratch::new();
    scratch.ok("key save deploy ship");
    let page = Page::start(&scratch, scratch.command("--agent scout ui"));
    let link = page.link().to_owned();
    let (url, _) = link.split_once("/open?key=").unwrap();
    let shown = page.lines.join("\n").replace(&link, "URL/open?key=KEY");
    assert_snapshot!(shown, @"
    open this link in your browser; it works once:
      URL/open?key=KEY
    Ctrl-C ends it
    ");
    let notes = format!("{url}/s/default/notes");
    has(get(&notes, None), "HTTP/1.1 303");
    let view = page.opened();
    has(view("notes"), "deploy");
    // It opens where it was started: with the directory and the agent of the command.
    let home = view("");
    has(&home, r#"name="place" value="~/work""#);
    has(home, r#"name="agent" value="scout""#);
    has(get(&link, None), "HTTP/1.1 401");
    assert_eq!(page.end(), (Some(0), String::new()));
}

#[test]
fn the_browser_that_is_named_is_opened() {
    let scratch = Scratch::new();
    let browser = scratch.script(
        "browser",
        "#!/bin/sh\nprintf '%s' \"$*\" > ~/opened.new\nmv ~/opened.new ~/opened\n",
    );
    let mut command = scratch.command("ui");
    command.env("BROWSER", format!("{} --new", browser.display()));
    let page = Page::start(&scratch, command);
    assert_snapshot!(page.lines[0], @"the page is open in your browser; if not, open this link, which works once:");
    let file = scratch.home().join("opened");
    until("the browser", || file.exists());
    let opened = std::fs::read_to_string(&file).unwrap();
    assert_eq!(opened, format!("--new {}", page.link()));

    let mut command = scratch.command("ui --no-open");
    command.env("BROWSER", browser);
    std::fs::remove_file(&file).unwrap();
    let page = Page::start(&scratch, command);
    has(&page.lines[0], "open this link");
    assert!(!file.exists());

    let mut command = scratch.command("ui");
    command.env("BROWSER", "no-such-browser");
    let (code, said) = Page::start(&scratch, command).end();
    assert_eq!(code, Some(0));
    assert_snapshot!(said, @"warning: no browser was opened: no-such-browser: No such file or directory (os error 2)");
}

/// Connections of other users end before anything is read.
#[test]
fn another_user_of_the_machine_does_not_get_in() {
    if !rustix::process::geteuid().is_root() || !cfg!(target_os = "linux") {
        return waynote_testing::not_checked(
            "connections of other users to the page",
            "only root on Linux can make them",
        );
    }
    let scratch = Scratch::new();
    let page = Page::start(&scratch, scratch.command("ui"));
    let link = page.link().strip_prefix("http://").unwrap();
    let (address, path) = link.split_once('/').unwrap();
    let (host, port) = address.split_once(':').unwrap();
    let script = format!(
        "exec 3<>/dev/tcp/{host}/{port}; printf 'GET /{path} HTTP/1.1\\r\\nHost: {address}\\r\\nConnection: close\\r\\n\\r\\n' >&3; cat <&3"
    );
    let asks = |words: &str| {
        let words = words.split(' ').chain(["bash", "-c", &script]);
        let output = Command::new("env").args(words).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(asks("setpriv --reuid=65534 --clear-groups"), "");
    // The link is still there for its owner.
    has(asks("A=b"), "HTTP/1.1 200");
}

#[test]
fn a_store_on_a_server_has_its_page_there() {
    let scratch = Scratch::new();
    assert_snapshot!(scratch.run("ui --no-open --store https://notes.example/s/team").said(), @"the page is at https://notes.example/s/team/?place=%7E%2Fwork&agent=default");
}

/// The commands that a store without notes and loops shows are those that put something there.
#[test]
fn every_command_that_the_page_shows_runs() {
    let scratch = Scratch::new();
    scratch.script("programs/claude", "#!/bin/sh\ncat > /dev/null\n");
    scratch.put("SPEC.md", "Make the tests green.");

    let page = Page::start(&scratch, scratch.command("ui"));
    let view = page.opened();
    let shown = ["", "notes", "sessions"].map(&view).concat();
    let codes = shown.split("<code>waynote ").skip(1);
    let commands: BTreeSet<&str> = codes
        .map(|code| code.split("</code>").next().unwrap())
        .collect();
    assert_snapshot!(Vec::from_iter(commands.clone()).join("\n"), @"
    install claude-code
    key save deploy 'run make ship'
    loop --session nightly --spec SPEC.md --with claude-code
    ");
    for command in commands {
        // The loop runs until somebody ends it.
        let is_loop = command.starts_with("loop");
        let once = if is_loop { " --iterations 1" } else { "" };
        let script = format!("cd home; PATH=$PWD/programs:$PATH; \"$WAYNOTE\" {command}{once}");
        let output = scratch.shell(&script);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command}: {said}");
    }
    has(view("sessions"), "nightly");
}

#[test]
fn it_says_which_notes_cite_code_that_has_changed() {
    let scratch = Scratch::new();
    scratch.put("work/pay.rs", "fn charge() -> u64 {\n    100\n}\n");
    let work = scratch.home().join("work");
    for words in ["init -q", "add .", "commit -qm one"] {
        git(&work, words);
    }
    scratch.ok("key save --notebook fee 'a fee of `pay.rs:1-3`'");
    scratch.ok("key save --notebook plain 'nothing cited'");
    scratch.put("work/pay.rs", "fn charge() -> u64 {\n    50\n}\n");
    let page = Page::start(&scratch, scratch.command("ui"));
    let list = page.opened()("notes?note=agent:default%23fee");
    assert_eq!(list.matches(">stale<").count(), 1, "{list}");
    has(&list, "cites pay.rs:1-3, changed since 2026-05-17");
}
