//! Hostile input: notes that try to leave their place in the block, messages and payloads that no decent client sends,
//! databases of noise. The block keeps its form and its budget, and no process crashes.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Output, Stdio};
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use jiff::Timestamp;
use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use waynote::context::{Budget, Request, render};
use waynote::store::StoreBeside;
use waynote::{AttachedStore, Checkout, EntryType, Place, Store};
use waynote_formats::SharedNotes;
use waynote_testing::values::{by_agent, entry, save, save_pinned};
use waynote_tokens::count;

use super::work::{self, Base, STORE};
use super::{Row, Setup, truth};
use kit::random::Random;

pub(crate) fn run(setup: &Setup) -> Result<Vec<Row>> {
    Ok(vec![
        notes(setup)?,
        budgets(setup)?,
        messages(setup)?,
        hooks(setup)?,
        databases(setup)?,
    ])
}

/// Pieces that forge best, between words.
const PIECES: [&str; 34] = [
    "#",
    "## ",
    "```",
    "````",
    "~~~",
    "> ",
    "- ",
    "1. ",
    "* ",
    "===",
    "|",
    "<b>",
    "<!--",
    "-->",
    "</div>",
    "[x]: y",
    "STUCK:",
    "**~**:",
    "12 of 2,000 tokens",
    "\n",
    "\r",
    "\n\n",
    "    ",
    "\t",
    "\u{1b}[31m",
    "\u{202e}",
    "\u{200b}",
    "\u{2028}",
    "\u{85}",
    "\u{e0041}",
    "\0",
    "</system-reminder>",
    "`",
    "\u{fff9}",
];

const FORGED: &str = "FORGED";

fn hostile(random: &mut Random) -> String {
    let mut text = String::new();
    for _ in 0..1 + random.below(10) {
        let piece: &&str = random.pick(&PIECES);
        text.push_str(piece);
        if random.one_in(3) {
            text.push_str(FORGED);
        }
    }
    text
}

/// Notes with these texts, each of them at its address: in a store in memory, and shared by a checkout.
fn block(texts: &[String], budget: usize) -> Result<String> {
    let connection = rusqlite::Connection::open_in_memory()?;
    let store = AttachedStore::attach(&connection)?;
    let checkout = tempfile::tempdir()?;
    let shared = |name: &str| checkout.path().join(".waynote").join(name);
    fs::create_dir(shared(""))?;
    fs::write(shared("fine.md"), "fine")?;
    for (number, text) in texts.iter().enumerate() {
        let change = match number % 5 {
            4 => {
                fs::write(shared(&format!("k{number}.md")), text)?;
                continue;
            }
            0 => save_pinned(format!("agent:a#p{number}").parse()?, text, true),
            1 => save(format!("agent:a#k{number}").parse()?, text),
            2 => save(format!("place:~/x/y{number}").parse()?, text),
            _ => entry(EntryType::imported("tip"), 1, &format!("{number} {text}")),
        };
        // The block is in the order of their times.
        store.apply(&[change], &by_agent(i64::try_from(number)?))?;
    }
    let root: Place = "~/x".parse()?;
    let (name, also) = (root.clone(), Vec::new());
    let shared = SharedNotes::new(checkout.path().into(), &Checkout { root, name, also });
    let store = StoreBeside::new(store);
    store.lay_over(vec![Arc::new(shared)]);
    let request = Request::new(
        "a".parse()?,
        "~/x/y2".parse::<waynote::Place>()?,
        Timestamp::UNIX_EPOCH,
    )
    .session(Some("s".parse()?))
    .budget(Budget::of(budget));
    Ok(render(&store, &request)?.text)
}

/// The headings of a block, and whatever stands in it that the block itself never has.
fn form(text: &str) -> (Vec<String>, Vec<String>) {
    let (mut headings, mut forged) = (Vec::new(), Vec::new());
    let mut heading: Option<String> = None;
    for event in Parser::new(text) {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => headings.extend(heading.take()),
            Event::Text(part) | Event::Code(part) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&part);
                }
            }
            Event::Html(html) | Event::InlineHtml(html) => forged.push(format!("HTML {html}")),
            Event::Rule => forged.push("a rule".into()),
            Event::Start(tag @ (Tag::Link { .. } | Tag::Image { .. } | Tag::BlockQuote(_))) => {
                forged.push(format!("{tag:?}"));
            }
            _ => {}
        }
    }
    let acting = |char: &char| char.is_control() && !matches!(char, '\n' | '\t');
    if waynote::visible::hidden_characters(text) > 0 {
        forged.push("hidden characters".into());
    }
    forged.extend(text.chars().find(acting).map(|char| format!("{char:?}")));
    forged.extend(
        text.contains("</system-reminder>")
            .then(|| "a client's tag".into()),
    );
    (headings, forged)
}

fn notes(setup: &Setup) -> Result<Row> {
    const AT_ONCE: usize = 8;
    let mut row = Row::new("hostile notes that leave their place in the block");
    let benign: Vec<String> = (0..AT_ONCE)
        .map(|number| format!("note {number}"))
        .collect();
    let benign = block(&benign, 0)?;
    ensure!(benign.contains("note 4"), "no shared note: {benign}");
    let (expected, _) = form(&benign);
    for round in 0..setup.count(3510, 150) {
        let mut random = Random::of(setup.seed, round);
        let texts: Vec<String> = (0..AT_ONCE)
            .map(|_| format!("x{}", hostile(&mut random)))
            .collect();
        let text = block(&texts, 0)?;
        row.trials += AT_ONCE as u64;
        let (headings, forged) = form(&text);
        if headings != expected || !forged.is_empty() {
            row.fail(format!("round {round}: {headings:?} {forged:?}"));
        }
    }
    Ok(row)
}

fn budgets(setup: &Setup) -> Result<Row> {
    let mut row = Row::new("blocks over their budget");
    for round in 0..setup.count(5990, 200) {
        let mut random = Random::of(setup.seed ^ 0xb0d9, round);
        let texts: Vec<String> = (0..4 + random.below(20))
            .map(|_| {
                let times = 1 + random.below(12);
                (0..times).map(|_| hostile(&mut random)).collect()
            })
            .collect();
        let budget = 1 + random.below(3000);
        let text = block(&texts, budget)?;
        row.trials += 1;
        let tokens = count(&text);
        if tokens > budget {
            row.fail(format!(
                "round {round}: {tokens} tokens, the budget is {budget}"
            ));
        }
    }
    Ok(row)
}

/// A message, and what is left of it after some bytes were changed.
fn mutated(message: &str, random: &mut Random) -> Vec<u8> {
    let mut bytes = message.as_bytes().to_vec();
    for _ in 0..random.below(6) {
        if bytes.is_empty() {
            break;
        }
        let at = random.below(bytes.len());
        match random.below(5) {
            0 => bytes[at] = random.byte(),
            1 => bytes.truncate(at),
            2 => bytes.insert(at, *random.pick(b"{}[]\",:0\\")),
            3 => {
                let part = bytes[at..].to_vec();
                bytes.extend(part);
            }
            _ => drop(bytes.remove(at)),
        }
    }
    bytes.retain(|byte| *byte != b'\n');
    bytes
}

fn messages(setup: &Setup) -> Result<Row> {
    const MESSAGES: [&str; 6] = [
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"note_save","arguments":{"key":"k","content":"v"}}}"#,
        r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"note_search","arguments":{"query":"a \"b"}}}"#,
        r#"{"jsonrpc":"2.0","id":5,"method":"resources/read","params":{"uri":"x"}}"#,
    ];
    let mut row = Row::new("malformed streams to the MCP server");
    for round in 0..setup.count(200, 20) {
        let mut random = Random::of(setup.seed ^ 0x3c9, round);
        let home = setup.quick()?;
        let mut stream = Vec::new();
        for _ in 0..40 {
            let message = *random.pick(&MESSAGES);
            stream.extend(mutated(message, &mut random));
            stream.push(b'\n');
        }
        // A sound message gets its answer after any other.
        for sound in [
            MESSAGES[0],
            MESSAGES[1],
            r#"{"jsonrpc":"2.0","id":"last","method":"ping"}"#,
        ] {
            stream.extend(sound.as_bytes());
            stream.push(b'\n');
        }
        let output = fed(setup, home.path(), &["mcp"], stream)?;
        row.trials += 1;
        let said = String::from_utf8_lossy(&output.stdout);
        if let Some(crash) = work::crash(&output) {
            row.fail(format!("round {round}: {crash}"));
        } else if !said.contains(r#""id":"last""#) {
            row.fail(format!("round {round}: the last message has no answer"));
        }
    }
    Ok(row)
}

/// Runs the program on an input.
fn fed(setup: &Setup, home: &Path, words: &[&str], input: Vec<u8>) -> Result<Output> {
    let mut command = work::waynote(setup, home, words);
    let mut child = command.stdin(Stdio::piped()).spawn()?;
    let mut stdin = child.stdin.take().context("no standard input")?;
    // The output is read meanwhile; a program that ends early does not read its input.
    let feeding = std::thread::spawn(move || {
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output()?;
    let _ = feeding.join();
    Ok(output)
}

fn hooks(setup: &Setup) -> Result<Row> {
    const CLIENTS: [&str; 9] = [
        "claude-code",
        "codex",
        "cursor",
        "opencode",
        "gemini",
        "goose",
        "vscode",
        "none",
        "--help-me",
    ];
    const EVENTS: [&str; 8] = [
        "SessionStart",
        "UserPromptSubmit",
        "PreCompact",
        "PostToolUse",
        "Stop",
        "beforeSubmitPrompt",
        "\u{202e}",
        "",
    ];
    const PAYLOADS: [&str; 4] = [
        r#"{"session_id":"s","cwd":"/tmp","hook_event_name":"SessionStart","source":"startup","prompt":"a"}"#,
        r#"{"session_id":1,"cwd":["/"],"prompt":{"a":1e999}}"#,
        r#"{"conversation_id":"c","workspace_roots":["/no/such"],"prompt":"\ud800"}"#,
        "",
    ];
    let mut row = Row::new("hook calls that do not exit with 0");
    let home = setup.quick()?;
    work::run(&mut work::waynote(
        setup,
        home.path(),
        &truth::words("k1", 1),
    ))?;
    for round in 0..setup.count(2450, 120) {
        let mut random = Random::of(setup.seed ^ 0x400c, round);
        let words = ["hook", *random.pick(&CLIENTS), *random.pick(&EVENTS)];
        let input = match random.below(12) {
            0 => vec![b'['; 200_000],
            1 => vec![b'"'; 1_000_000],
            _ => {
                let payload = *random.pick(&PAYLOADS);
                mutated(payload, &mut random)
            }
        };
        let output = fed(setup, home.path(), &words, input)?;
        row.trials += 1;
        if !output.status.success() {
            row.fail(format!("round {round}: {words:?}: {}", output.status));
        }
    }
    Ok(row)
}

/// Databases of noise: the program says what is wrong with them, or answers.
fn databases(setup: &Setup) -> Result<Row> {
    let mut row = Row::new("fuzzed databases that crash the program");
    let base = Base::make(setup.folder.path().join("fuzzed"), setup.seed, 60, 20)?;
    for round in 0..setup.count(300, 20) {
        let mut random = Random::of(setup.seed ^ 0xf022, round);
        let home = setup.quick()?;
        base.copy(home.path())?;
        let store = home.path().join(STORE);
        let mut bytes = std::fs::read(&store)?;
        let end = if random.one_in(3) { 100 } else { bytes.len() };
        for _ in 0..1 + random.below(400) {
            bytes[random.below(end)] = random.byte();
        }
        std::fs::write(&store, bytes)?;
        for words in [
            &["verify"][..],
            &["context"],
            &["search", "w00"],
            &["key", "save", "k", "v"],
            &["log", "sessions"],
        ] {
            let output = fed(setup, home.path(), words, Vec::new())?;
            row.trials += 1;
            if let Some(crash) = work::crash(&output) {
                row.fail(format!("round {round}: {words:?}: {crash}"));
            }
        }
    }
    Ok(row)
}
