//! Every command that the README and the guides show is run here, in the order in which it stands, and prints what is
//! shown below it.
//!
//! Nothing has to be done for a command that just works in a fresh home after those before it. For any other, add a
//! line to [`RULES`]: what it needs first, what stands for its placeholders, its exit codes, or why it cannot be run
//! here.

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

use super::common::{Scratch, Ticks};

/// The rules for commands, by how a command begins. The first rule that matches counts.
const RULES: &[(&str, How)] = &[
    ("cargo ", How::Not("it needs cargo and the network")),
    (
        "waynote loop --session nightly --spec ",
        How::Not("it needs Claude Code"),
    ),
    (
        "waynote loop --session nightly --notify ",
        How::Not("it needs Claude Code and ntfy"),
    ),
    // Its findings depend on the clients of this machine; `doctor.rs` tests its output.
    ("waynote doctor", How::Exits(&[0, 1])),
    (
        "waynote note --key staging-db \"read-only for agents\"",
        How::After(&[
            "WAYNOTE_NOW=2026-04-30T00:00:00Z waynote note --key staging-db 'read and write'",
        ]),
    ),
    (
        "waynote --session nightly --iteration 5 log add ",
        How::After(&[
            "waynote --session nightly --iteration 4 log add --type stuck 'The API allows 100 requests a minute'",
        ]),
    ),
    (
        "waynote note --key fees ",
        How::After(&[
            "mkdir src && (seq 60; echo 'fn charge() {}') > src/pay.rs",
            "git add src",
        ]),
    ),
    (
        "waynote import openotters memory.db",
        How::After(&[
            "WAYNOTE_NOW=2026-04-01T00:00:00Z waynote --store theirs.db key save k theirs",
            "waynote --store theirs.db export openotters memory.db",
            "waynote key save k ours",
        ]),
    ),
    (
        "waynote search failing tests",
        How::After(&[
            "waynote note --key flaky-tests 'checkout::retries fails about once in 40 runs'",
            "waynote --session nightly --iteration 3 log add --type learning 'Tests pass with --no-cache'",
        ]),
    ),
    (
        "waynote note --key staging-db \"gone since May\"",
        How::After(&["rm .waynote/staging-db.md"]),
    ),
    (
        "waynote answer nightly ",
        How::After(&[
            "waynote --session nightly loop --iterations 1 -- sh -c 'test -e asked || waynote log blocked why; touch asked' || test $? = 4",
        ]),
    ),
    (
        "waynote forget agent:default#deploy --dry-run",
        How::After(&[
            "waynote key save deploy 'the old host'",
            "waynote key save deploy 'the new host'",
        ]),
    ),
    (
        "waynote forget session:nightly#ID",
        How::With(
            "session:nightly#ID",
            "$(waynote --session nightly log list --json | sed -n 's/.*\"address\": \"\\(.*\\)\",/\\1/p' | head -1)",
            &[0],
        ),
    ),
    (
        "waynote forget session:nightly#event-7",
        How::With("session:nightly#event-7", "session:nightly#event-1", &[0]),
    ),
    (
        "waynote trust",
        How::With(
            "waynote trust",
            "waynote config set trust '~/projects/*'",
            &[0],
        ),
    ),
    (
        "waynote note --key deploy \"push with ghp_…\"",
        How::With(
            "ghp_…",
            "ghp_$(echo 1b7Xc9Rz4Kq2Wm8Ty6Vn3Lp5Hd0Jf4Sg2Qa7)",
            &[1],
        ),
    ),
];

/// Makes the project of the pages.
const SHOP: &str = "git init -q ~/projects/shop && \
    git -C ~/projects/shop remote add origin https://github.com/acme/shop.git";

/// How a command is run.
#[derive(Clone, Copy)]
enum How {
    /// It is not, for this reason.
    Not(&'static str),
    /// After these, which the page does not show.
    After(&'static [&'static str]),
    /// With one text of it replaced by another, to one of these exit codes.
    With(&'static str, &'static str, &'static [i32]),
    /// To one of these exit codes.
    Exits(&'static [i32]),
}

/// A command as a page shows it.
#[derive(Clone, Debug)]
struct Shown {
    line: usize,
    /// The person who types it, in a home of their own; empty on pages with one person.
    person: String,
    command: String,
    /// The output shown below it; empty if the page shows none.
    output: String,
}

#[test]
fn the_readme_runs() {
    runs("README.md", &[SHOP]);
}

#[test]
fn the_guide_runs() {
    runs("docs/guide.md", &[SHOP]);
}

#[test]
fn the_page_about_loops_runs() {
    runs("docs/loops.md", &["echo 'Count to three.' > SPEC.md"]);
}

#[test]
fn the_page_about_forgetting_runs() {
    runs(
        "docs/forgetting.md",
        &[
            "waynote --session nightly log add --type tip 'Start with make seed'",
            "waynote loop --session nightly -- my-agent",
        ],
    );
}

#[test]
fn the_page_about_imports_runs() {
    runs("docs/import.md", &[]);
}

#[test]
fn the_page_about_teams_runs() {
    // The server's repository, which both clone.
    let person = |name: &str| {
        format!(
            "mkdir -p ~/{name} && git config --file ~/{name}/.gitconfig user.name {name} && \
             git config --file ~/{name}/.gitconfig user.email {name}@example.org && \
             git config --file ~/{name}/.gitconfig url.$HOME/shop.git.insteadOf https://github.com/acme/shop"
        )
    };
    runs(
        "docs/teams.md",
        &[
            &person("alice"),
            &person("bob"),
            "git init -q -b main first && mkdir -p first/src/pay && echo x > first/src/pay/fees.rs && \
             git -C first add . && git -C first -c user.name=t -c user.email=t@example.org commit -q -m begin && \
             git clone -q --bare first ~/shop.git",
        ],
    );
}

/// A rule for a command that no page shows any more is to be removed.
#[test]
fn every_rule_is_for_a_command_that_is_shown() {
    let pages = [
        "README",
        "docs/guide",
        "docs/loops",
        "docs/forgetting",
        "docs/import",
        "docs/teams",
    ];
    let pages = pages.map(|page| shown(&read(&format!("{page}.md"))));
    let shown = pages.concat();
    for (begins, _) in RULES {
        assert!(
            shown.iter().any(|shown| shown.command.starts_with(begins)),
            "no page shows a command that begins with `{begins}`: change or remove its rule in docs_commands.rs"
        );
    }
}

/// Runs the commands of a page, in a home of its own, and compares their output with the page.
fn runs(page: &str, first: &[&str]) {
    let home = Home::new();
    for command in first {
        assert_eq!(home.run("", "", command).0, 0, "{command}");
    }
    let mut problems = Vec::new();
    // Commands that change the shell of a reader, for all later ones.
    let mut shells: HashMap<String, String> = HashMap::new();
    for Shown {
        line,
        person,
        command,
        output,
    } in shown(&read(page))
    {
        let shell = shells.entry(person.clone()).or_default();
        let rule = RULES.iter().find(|(begins, _)| command.starts_with(begins));
        let (mut typed, mut codes) = (command.clone(), &[0][..]);
        match rule.map(|(_, how)| *how) {
            None => {}
            Some(How::Not(why)) => {
                println!("{page}:{line}: not run, because {why}: {command}");
                continue;
            }
            Some(How::Exits(of)) => codes = of,
            Some(How::With(placeholder, text, of)) => {
                (typed, codes) = (typed.replace(placeholder, text), of);
            }
            Some(How::After(before)) => {
                for command in before {
                    let (code, said) = home.run(&person, shell, command);
                    assert_eq!(
                        code, 0,
                        "{page}:{line}: before it, `{command}` says\n{said}"
                    );
                }
            }
        }
        if typed.starts_with("cd ") || typed.starts_with("export ") {
            *shell += &format!("{typed}\n");
            continue;
        }
        let (code, said) = home.run(&person, shell, &typed);
        let (is, should_be) = (comparable(&said), comparable(&output));
        if !codes.contains(&code) {
            problems.push(format!(
                "{page}:{line}: `{command}` exits with {code}:\n{is}"
            ));
        } else if !should_be.is_empty() && is != should_be {
            problems.push(format!(
                "{page}:{line}: `{command}` shows\n{should_be}\nand prints\n{is}"
            ));
        }
    }
    assert!(
        problems.is_empty(),
        "Run or exempt each command below: mend the page or the program, or add a line to RULES in \
         crates/waynote-cli/tests/suite/docs_commands.rs that says what the command needs first, or why it cannot be \
         run in a test (`How::Not`).\n\n{}",
        problems.join("\n\n")
    );
}

/// A home with the program on the path, and an agent for one loop.
struct Home {
    scratch: Scratch,
    ticks: Ticks,
    path: String,
}

impl Home {
    fn new() -> Self {
        let scratch = Scratch::new();
        let bin = scratch.home().join("bin");
        let agent = "#!/bin/sh\nexec waynote log complete 'it is done'\n";
        scratch.script("bin/my-agent", agent);
        let program = Path::new(env!("CARGO_BIN_EXE_waynote")).parent().unwrap();
        let system = std::env::var("PATH").unwrap_or_default();
        let path = format!("{}:{}:{system}", bin.display(), program.display());
        let ticks = Ticks::default();
        Self {
            scratch,
            ticks,
            path,
        }
    }

    /// The exit code of a command and its whole output, after the earlier commands of the same shell.
    fn run(&self, person: &str, shell: &str, command: &str) -> (i32, String) {
        let home = self.scratch.home();
        let (home, directory) = match person {
            "" => (home.clone(), home.join("work")),
            person => (home.join(person), home.join(person)),
        };
        let output = Command::new("sh")
            .args(["-c", &format!("{shell}{command}")])
            .env_clear()
            .env("HOME", &home)
            .env("PATH", &self.path)
            .env("WAYNOTE_NOW", self.ticks.next())
            .current_dir(directory)
            .stdin(std::process::Stdio::null())
            .output()
            .unwrap();
        // The pages show the reader's home as they would.
        let home = home.display().to_string();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(&home, "~");
        (
            output.status.code().unwrap_or(-1),
            text(&output.stdout) + &text(&output.stderr),
        )
    }
}

pub(super) fn read(page: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(page);
    std::fs::read_to_string(path).unwrap()
}

/// The commands of a page: in blocks `console` the lines after `$ `, each with its output below, and in blocks `sh`
/// every line.
fn shown(page: &str) -> Vec<Shown> {
    let mut all: Vec<Shown> = Vec::new();
    let mut block: Option<&str> = None;
    let mut person = "";
    for (index, text) in page.lines().enumerate() {
        if let Some(language) = text.strip_prefix("```") {
            let (language, of) = language.split_once(' ').unwrap_or((language, ""));
            person = of;
            block = match block {
                None => Some(language),
                Some(_) => None,
            };
            continue;
        }
        let command = match block {
            Some("console") => text.strip_prefix("$ "),
            Some("sh") if text.trim().is_empty() => continue,
            Some("sh") => Some(text),
            _ => continue,
        };
        match (command, all.last_mut()) {
            (Some(command), _) => all.push(Shown {
                line: index + 1,
                person: person.to_owned(),
                command: command.to_owned(),
                output: String::new(),
            }),
            (None, Some(last)) => last.output += &format!("{text}\n"),
            (None, None) => {}
        }
    }
    all
}

/// Without the ids of entries, which say when and where they were made, and blanks at the ends of lines.
fn comparable(said: &str) -> String {
    const ID: usize = 25;
    let mut out = String::new();
    for line in said.trim_end().lines() {
        let mut parts = line.trim_end().split('#');
        out += parts.next().unwrap_or_default();
        for part in parts {
            let is_letter = |char: char| char.is_ascii_lowercase() || char.is_ascii_digit();
            let length = part.find(|char| !is_letter(char)).unwrap_or(part.len());
            let rest = if length == ID { &part[ID..] } else { part };
            out += if length == ID { "#ID" } else { "#" };
            out += rest;
        }
        out.push('\n');
    }
    out
}

#[test]
fn commands_are_found_with_what_is_shown_below_them() {
    let page =
        "```console\n$ a  # b\nsays\n$ c\n```\ntext\n```sh\nd\n\ne\n```\n```toml\n$ f\n```\n";
    let found: Vec<String> = shown(page)
        .into_iter()
        .map(|shown| format!("{}:{}:{}", shown.line, shown.command, shown.output))
        .collect();
    assert_eq!(found, ["2:a  # b:says\n", "4:c:", "8:d:", "10:e:"]);
}
