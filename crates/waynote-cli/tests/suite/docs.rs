//! The reference equals the program's own help, and the README's example equals its output. No link leads nowhere.

use std::path::{Path, PathBuf};

use waynote::{Options, SqliteStore, Stamp, Store};
use waynote_testing::values::{name, save_pinned};

use super::common::{NOW, Scratch, has};
use super::docs_commands::read;
use super::loop_stops::seconds_gone;

#[test]
fn the_reference_is_up_to_date() {
    let path = root().join("docs/reference.md");
    let scratch = Scratch::new();
    let made = reference(&scratch, &[]);
    if std::env::var_os("WAYNOTE_UPDATE_DOCS").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        stored == made,
        "docs/reference.md is out of date: run `cargo xtask docs`"
    );
}

/// The help of a command and of those below it.
fn reference(scratch: &Scratch, command: &[String]) -> String {
    let help = match command {
        [] => scratch.ok("help --all"),
        _ => {
            let words = command.iter().map(String::as_str);
            scratch.waynote(words.chain(["--help"])).ok()
        }
    };
    let title = if command.is_empty() {
        "# Reference\n\nMade from the program's own help by `cargo xtask docs`; a test keeps it so. Every command also takes the \
         global options, which stand under `waynote` alone.\n\n## waynote"
            .into()
    } else {
        format!("## waynote {}", command.join(" "))
    };
    let shown = match help.split_once("\nGlobal options:\n") {
        Some((own, _global)) if !command.is_empty() => own,
        _ => help.as_str(),
    };
    let mut text = format!("{title}\n\n```text\n{}\n```\n", shown.trim_end());
    let (begin, end) = match command.is_empty() {
        true => ("\nEvery day:\n", "\nOptions:\n"),
        false => ("\nCommands:\n", "\n\n"),
    };
    let commands = help
        .split(begin)
        .nth(1)
        .and_then(|after| after.split(end).next());
    for line in commands.unwrap_or_default().lines() {
        // Deeper lines go on with a description.
        let Some(name) = line
            .strip_prefix("  ")
            .filter(|line| !line.starts_with(' '))
        else {
            continue;
        };
        let name = name.split_whitespace().next().unwrap();
        if name != "help" {
            let below: Vec<String> = command.iter().cloned().chain([name.to_owned()]).collect();
            text += &format!("\n{}", reference(scratch, &below));
        }
    }
    text
}

#[test]
fn completions_and_manual_pages_are_made() {
    let scratch = Scratch::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        has(scratch.ok(&format!("completions {shell}")), "waynote");
    }
    assert!(scratch.ok("man").starts_with(".ie"));
    scratch.ok("man --dir pages");
    let page = scratch.home().join("work/pages/waynote-key-save.1");
    assert!(page.exists());
}

#[test]
fn the_overview_of_an_empty_store_says_how_to_begin() {
    let scratch = Scratch::new();
    let overview = scratch.waynote::<[&str; 0], &str>([]).said();
    insta::assert_snapshot!(overview, @"
    No notes apply in ~/work. Leave one for the next run:
      waynote note TEXT              a note on this directory
      waynote note --key KEY TEXT    a note of the project, under a key
      waynote install                connect an agent, so that it reads and writes notes
      waynote loop -- AGENT          run an agent again and again; `waynote --help` lists more
    Store: HOME/.local/share/waynote/notes.db (created by the first write)
    ");
}

/// Zrb's file is named by a variable that does not begin as ours do.
#[test]
fn the_demo_is_not_of_this_machine() {
    let scratch = Scratch::new();
    let file = scratch.path("notes.json");
    std::fs::write(&file, r#"{"~": "a note of this machine"}"#).unwrap();
    let said = scratch.run("demo").env("ZRB_LLM_NOTE_FILE", &file).said();
    assert_eq!(
        seconds_gone(&said),
        seconds_gone(&scratch.run("demo").said())
    );
}

#[test]
fn the_demo_plays() {
    let scratch = Scratch::new();
    // The run itself is in the README.
    let played = seconds_gone(&scratch.ok("demo"));
    let (_, session) = played.split_once("\nThe session afterwards:\n").unwrap();
    has(session, "| 250 orders imported and checked");
    assert!(!scratch.store().exists());
    let readme = read("README.md");
    let shown = scratch
        .run("demo")
        .env("WAYNOTE_NOW", "2026-11-22T12:00:00Z")
        .ok();
    let (the_run, _) = shown.split_once("\nThe session afterwards:\n").unwrap();
    assert!(
        seconds_gone(&readme).contains(&seconds_gone(the_run)),
        "the README shows another demo"
    );
}

#[test]
fn the_page_about_the_block_shows_a_real_one() {
    let scratch = Scratch::new();
    scratch.put(
        "work/.git/config",
        "[remote \"origin\"]\nurl = git@github.com:acme/shop.git\n",
    );
    scratch.put("work/.git/HEAD", "ref: refs/heads/main\n");
    for folder in ["objects", "refs"] {
        scratch.put(&format!("work/.git/{folder}/keep"), "");
    }
    let (person, builder, codex) = ("person", "agent:builder", "agent:codex");
    let style = "Say why, not what; the diff says what. ".repeat(12);
    std::fs::create_dir_all(scratch.store().parent().unwrap()).unwrap();
    let store = SqliteStore::open(scratch.store(), &Options::default()).unwrap();
    for (address, author, text, pinned) in [
        (
            "place:~",
            person,
            "Prefers short answers and small commits.",
            false,
        ),
        (
            "repo:github.com/acme/shop",
            person,
            "Rust workspace. `cargo xtask test` is the gate.\nPrices are integers, in cents.",
            false,
        ),
        (
            "repo:github.com/acme/shop#release-steps",
            builder,
            "1. Tag on main.\n2. Wait for CI.\n3. Run `make ship` from a clean clone.",
            true,
        ),
        (
            "repo:github.com/acme/shop#commit-style",
            person,
            &format!("# Commit messages\n{style}"),
            true,
        ),
        (
            "repo:github.com/acme/shop#flaky-tests",
            builder,
            "checkout::retries fails about once in 40 runs",
            false,
        ),
        (
            "repo:github.com/acme/shop#staging-db",
            codex,
            "read-only for agents",
            false,
        ),
        (
            "agent:builder#disk",
            builder,
            "/tmp is on a small disk here",
            false,
        ),
        ("agent:builder#shell", builder, "the shell is fish", false),
    ] {
        let change = save_pinned(address.parse().unwrap(), text, pinned);
        let stamp = Stamp::new(NOW.parse().unwrap(), name(author));
        store.apply(&[change], &stamp).unwrap();
    }
    drop(store);
    let agent = |words: &str| {
        let words = format!("--author agent:builder --agent builder --session nightly {words}");
        scratch.ok(&words)
    };
    for words in [
        "--iteration 1 log add 'SQLite over Postgres for the cart' --type decision",
        "--iteration 2 log add 'The API allows 100 requests a minute' --type stuck",
        "--iteration 3 log add 'The test suite needs --no-cache' --type learning",
        "--iteration 4 log add 'The API allows 100 requests a minute' --type stuck",
        "--iteration 5 log add 'The import dies at 60 % when /tmp is small' --type stuck",
        "--iteration 6 log add 'Start with `make seed`, or every test fails' --type tip",
        "--iteration 7 log add 'The API allows 100 requests a minute' --type stuck",
    ] {
        agent(words);
    }
    let page = read("docs/prompt-block.md");
    for words in ["context --budget 320", "context --budget 320 --explain"] {
        let shown = agent(words);
        assert!(
            page.contains(&shown),
            "the page shows another block than\n{shown}"
        );
    }
}

#[test]
fn the_page_about_credentials_lists_every_rule() {
    let page = read("docs/secrets.md");
    for rule in waynote::secrets::rules() {
        assert!(page.contains(&format!("`{}`", rule.name)), "{}", rule.name);
    }
}

/// The vocabulary is in the program, so its licence has to be.
#[test]
fn the_licences_are_in_the_program() {
    let scratch = Scratch::new();
    let said = scratch.ok("licences");
    assert!(said.starts_with("waynote: MIT OR Apache-2.0\n"), "{said}");
    has(&said, "Copyright (c) 2022 OpenAI");
    has(&said, "Permission is hereby granted");
    assert_eq!(scratch.ok("licenses"), said);
}

/// The book has the pages that its summary lists, and keeps relative links: so no page may link out of docs/.
#[test]
fn every_page_is_in_the_book_and_every_link_leads_somewhere() {
    let (docs, summary) = (root().join("docs"), root().join("docs/SUMMARY.md"));
    let pages = pages();
    let book: Vec<PathBuf> = links(&summary).into_iter().map(|(page, _)| page).collect();
    let mut wrong: Vec<String> = pages
        .iter()
        .filter(|page| page.starts_with(&docs) && **page != summary && !book.contains(page))
        .map(|page| format!("{} is not in docs/SUMMARY.md", page.display()))
        .collect();
    for page in &pages {
        for (target, heading) in links(page) {
            let may = !page.starts_with(&docs) || target.starts_with(&docs);
            let is_there = heading.is_empty() || headings(&target).contains(&heading);
            if !(may && target.is_file() && is_there) {
                let (page, target) = (page.display(), target.display());
                wrong.push(format!("{page} links to {target}#{heading}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Why each of them went is in docs/decisions/0046-taken-away.md.
const GONE: [&str; 20] = [
    "salvage",
    "--vanished",
    "log plot",
    "beads",
    "read_url",
    "target_session_attrs",
    "require_auth",
    "sslcert",
    "pghost",
    "stores rename",
    "stores grants",
    "stores vacuum",
    "stores migrate",
    "narrowed token",
    "token audit",
    "audit log",
    "access.log",
    "view access",
    "`patch`",
    "gix",
];

/// The reference is among the pages, and it has every text of `--help`.
#[test]
fn no_page_has_a_word_of_what_was_taken_away() {
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap().to_lowercase();
        // A line may end between two words.
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let found = GONE.iter().find(|gone| words.contains(**gone));
        let is_record = page.starts_with(root().join("docs/decisions"));
        assert!(
            is_record || found.is_none(),
            "{}: {found:?}",
            page.display()
        );
    }
}

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().unwrap()
}

/// Every page for readers, but the list of changes.
fn pages() -> Vec<PathBuf> {
    let others = ["README.md", "CONTRIBUTING.md", "llms.txt"];
    let mut pages: Vec<PathBuf> = others.map(|name| root().join(name)).into();
    let mut folders = vec![root().join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "md") {
                pages.push(path);
            }
        }
    }
    pages
}

/// The files that a page links to, each with the heading that is meant, if one is.
fn links(page: &Path) -> Vec<(PathBuf, String)> {
    let mut links = Vec::new();
    for line in prose(page) {
        for rest in line.split("](").skip(1) {
            let link = rest.split(')').next().unwrap();
            if link.contains("://") {
                continue;
            }
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = match file {
                "" => page.to_owned(),
                _ => page.parent().unwrap().join(file),
            };
            let target = target.canonicalize().unwrap_or(target);
            links.push((target, heading.to_owned()));
        }
    }
    links
}

/// The headings of a page as links name them.
fn headings(page: &Path) -> Vec<String> {
    let lines = prose(page).into_iter();
    let headings = lines.filter(|line| line.starts_with('#'));
    headings
        .map(|line| {
            let name = line.trim_start_matches('#').trim().to_lowercase();
            let name = name.replace(' ', "-");
            let is_kept = |char: &char| char.is_alphanumeric() || "-_".contains(*char);
            name.chars().filter(is_kept).collect()
        })
        .collect()
}

/// The lines of a page that are no code.
fn prose(page: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(page).unwrap_or_default();
    let mut is_code = false;
    let lines = text.lines().filter(|line| {
        is_code ^= line.starts_with("```");
        !is_code
    });
    lines.map(str::to_owned).collect()
}
