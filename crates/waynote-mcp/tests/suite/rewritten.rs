//! A text that an agent reads, changes and saves is as it was, apart from the change.

use std::fmt::Write;

use jiff::Timestamp;
use serde_json::{Value, json};
use waynote::{Limits, Reader};
use waynote_mcp::Set;

use super::calls::Folder;
use super::embedded::Server;

/// A note as the tools of a set save and read it.
struct Tools {
    folder: Folder,
    server: Server,
    set: Set,
}

/// The sets with tools that change a note, and the address of the note that the tests change with each.
const CHANGING: [(Set, &str); 4] = [
    (Set::Default, "agent:builder#k"),
    (Set::Openotters, "agent:builder#k"),
    (Set::Zrb, "place:/srv/project"),
    (Set::Memory, "place:/memories/builder/k"),
];

impl Tools {
    fn new(set: Set) -> Self {
        let folder = Folder::new();
        let program = folder.program(|| Timestamp::UNIX_EPOCH);
        let server = Server::start_with(program, set, Limits::NONE);
        Self {
            folder,
            server,
            set,
        }
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> String {
        self.server.reply(tool, arguments)
    }

    /// Saves a text that was not there.
    fn create(&mut self, text: &str) {
        let create = json!({ "command": "create", "path": "/memories/k", "file_text": text });
        match self.set {
            Set::Memory => drop(self.call("memory", &create)),
            _ => self.save("", text),
        }
    }

    /// The note's text as the model reads it.
    fn read(&mut self) -> String {
        match self.set {
            Set::Zrb => self.call("ReadContextualNote", &json!({})),
            Set::Memory => {
                let view = self.call(
                    "memory",
                    &json!({ "command": "view", "path": "/memories/k" }),
                );
                let numbered = view.split('\n').skip(1);
                let lines: Vec<&str> = numbered
                    .map(|line| line.split_once('\t').unwrap().1)
                    .collect();
                lines.join("\n")
            }
            _ => self.call("note_show", &json!({ "key": "k" })),
        }
    }

    /// Saves a text in place of the one that the model has read.
    fn save(&mut self, read: &str, text: &str) {
        let (tool, arguments) = match self.set {
            Set::Zrb => ("WriteContextualNote", json!({ "content": text })),
            Set::Memory => (
                "memory",
                json!({ "command": "str_replace", "path": "/memories/k", "old_str": read, "new_str": text }),
            ),
            _ => ("note_save", json!({ "key": "k", "content": text })),
        };
        self.call(tool, &arguments);
    }

    /// The text in the store.
    fn stored(&self, address: &str) -> String {
        let note = self.folder.store().get(&address.parse().unwrap());
        note.unwrap().unwrap().content.as_text().unwrap().to_owned()
    }
}

/// Every character of the planes in which any is shown otherwise than it is, in lines of words of which one changes.
/// (All planes: `waynote-text/src/visible/restored.rs`.)
#[test]
fn every_character_comes_back() {
    let shown_otherwise = ('\u{e0000}'..='\u{e0fff}').chain([char::MAX]);
    let all: Vec<char> = ('\u{1}'..='\u{1ffff}').chain(shown_otherwise).collect();
    for (set, address) in CHANGING {
        let mut tools = Tools::new(set);
        for (number, chars) in all.chunks(8192).enumerate() {
            let lines: String = chars.iter().map(|char| format!("a{char}b\n")).collect();
            let text = |word: &str| format!("{word} <U+202E> <system>\n{lines}{word} &lt; end");
            match number {
                0 => tools.create(&text("old")),
                _ => {
                    let read = tools.read();
                    tools.save(&read, &text("old"));
                }
            }
            let read = tools.read();
            tools.save(&read, &read.replace("old", "new"));
            assert!(
                tools.stored(address) == text("new"),
                "{set:?} from {:?}",
                chars[0]
            );
        }
    }
}

/// The text in every reply that has it whole, and the stored text after the model changed a word.
#[test]
fn what_a_model_reads_and_what_is_stored() {
    let text = "one\r\nt\u{202e}wo, lit <U+202E>, so\u{ad}ft\r\n<system-reminder>\r\n";
    let mut seen = String::new();
    for (set, address) in CHANGING {
        let mut tools = Tools::new(set);
        tools.create(text);
        let read = tools.read();
        tools.save(&read, &read.replace("one", "1"));
        let stored = tools.stored(address);
        let _ = writeln!(seen, "{}: {read:?}\n  {stored:?}", set.as_str());
    }
    insta::assert_snapshot!(seen, @r#"
    default: "one\r\nt<U+202E>wo, lit <U+202E>, so\u{ad}ft\r\n&lt;system-reminder>\r\n"
      "1\r\nt\u{202e}wo, lit <U+202E>, so\u{ad}ft\r\n<system-reminder>\r\n"
    openotters: "one\r\nt<U+202E>wo, lit <U+202E>, so\u{ad}ft\r\n&lt;system-reminder>\r\n"
      "1\r\nt\u{202e}wo, lit <U+202E>, so\u{ad}ft\r\n<system-reminder>\r\n"
    zrb: "one\r\nt<U+202E>wo, lit <U+202E>, so\u{ad}ft\r\n&lt;system-reminder>\r\n"
      "1\r\nt\u{202e}wo, lit <U+202E>, so\u{ad}ft\r\n<system-reminder>\r\n"
    memory: "one\r\nt<U+202E>wo, lit <U+202E>, so\u{ad}ft\r\n&lt;system-reminder>\r"
      "1\r\nt\u{202e}wo, lit <U+202E>, so\u{ad}ft\r\n<system-reminder>\r\n"
    "#);

    let mut seen = String::new();
    for (set, list) in [(Set::Default, "note_list"), (Set::Ralph, "note_list")] {
        let mut tools = Tools::new(set);
        let added = tools.call("note_add", &json!({ "content": text, "type": "tip" }));
        let listed = tools.call(list, &json!({ "type": "tip" }));
        let _ = writeln!(seen, "{}: {added:?}\n  {listed:?}", set.as_str());
    }
    let mut tools = Tools::new(Set::Openotters);
    tools.create("so\u{ad}ft\ra\u{202e}\r\nb");
    let listed = tools.call("note_list", &json!({}));
    let _ = writeln!(seen, "openotters: {listed:?}");
    let uri = json!({ "uri": "waynote://note/agent%3Abuilder%23k" });
    tools.server.ask(7, "resources/read", &uri);
    let read = tools.server.receive();
    let read = read["result"]["contents"][0]["text"].as_str().unwrap();
    let _ = writeln!(seen, "resource: {read:?}");
    insta::assert_snapshot!(seen, @r###"
    default: "Note added: [tip] one\r\nt<U+202E>wo, lit <U+202E>, so\u{ad}ft\r\n&lt;system-reminder>\r..."
      "session:nightly\nTIP:\n- [#3] one\r\n  t<U+202E>wo, lit <U+202E>, so\u{ad}ft\r\n  &lt;system-reminder>"
    ralph: "Note added: [tip] one\r\nt<U+202E>wo, lit <U+202E>, so\u{ad}ft\r\n&lt;system-reminder>\r..."
      "TIP:\n  - [#3] one\r\nt<U+202E>wo, lit <U+202E>, so\u{ad}ft\r\n&lt;system-reminder>\r\n"
    openotters: "## Notes\n\n| Key | Updated | Preview |\n|-----|---------|---------|\n| `k` | just now | so\u{ad}ft\ra<U+202E> |\n\nNotes persist across sessions. Use `note_show <key>` for full content; `note_save` / `note_delete` to mutate.\n"
    resource: "so\u{ad}ft\ra<U+202E>\r\nb"
    "###);
}

/// The memory tool finds text in its shown and in its stored form; if both match, it does not guess.
#[test]
fn a_file_is_edited_as_it_is_shown() {
    let mut tools = Tools::new(Set::Memory);
    tools.create("real \u{202e}x\nlit <U+202E>x\n<system>\r\n");
    let mut seen = String::new();
    for (old, new) in [
        ("<U+202E>x", "y"),
        ("real <U+202E>x", "true <U+202E>x, and <U+202E>"),
        ("lit <U+202E>", "text <U+202E>"),
        ("&lt;system>\r\n", "&lt;user>\r\n"),
        ("true \u{202e}x", "true <U+202E>x"),
    ] {
        let edit = json!({ "command": "str_replace", "path": "/memories/k", "old_str": old, "new_str": new });
        let reply = tools.call("memory", &edit);
        let stored = tools.stored("place:/memories/builder/k");
        let _ = writeln!(seen, "{}\n  {stored:?}", reply.lines().next().unwrap());
    }
    insta::assert_snapshot!(seen, @r#"
    No replacement was performed. Multiple occurrences of old_str `<U+202E>x` in lines: 1, 2. Please ensure it is unique
      "real \u{202e}x\nlit <U+202E>x\n<system>\r\n"
    The memory file has been edited.
      "true \u{202e}x, and <U+202E>\nlit <U+202E>x\n<system>\r\n"
    The memory file has been edited.
      "true \u{202e}x, and <U+202E>\ntext <U+202E>x\n<system>\r\n"
    The memory file has been edited.
      "true \u{202e}x, and <U+202E>\ntext <U+202E>x\n<user>\r\n"
    The memory file has been edited.
      "true <U+202E>x, and <U+202E>\ntext <U+202E>x\n<user>\r\n"
    "#);
}

/// A text that somebody else changed meanwhile is not replaced by one that was restored from another.
#[test]
fn a_guarded_save_stays_guarded() {
    let mut tools = Tools::new(Set::Default);
    tools.create("a\u{202e}b");
    let save = json!({ "key": "k", "content": "c<U+202E>b", "if_revision": 2 });
    let refused = tools.call("note_save", &save);
    assert!(refused.contains("revision 1"), "{refused}");
    let save = json!({ "key": "k", "content": "c<U+202E>b", "if_revision": 1 });
    tools.call("note_save", &save);
    assert_eq!(tools.stored("agent:builder#k"), "c\u{202e}b");
}

/// The texts of the reference cases, saved and read by the tools of their program.
#[test]
fn the_sources_texts_are_read_as_they_were_saved() {
    let cases = |name: &str| -> Value {
        let path = format!(
            "{}/../waynote/tests/fixtures/reference/{name}",
            env!("CARGO_MANIFEST_DIR")
        );
        let text = std::fs::read_to_string(path).unwrap();
        // One recorded reply ends in half a surrogate pair, which no JSON reader of Rust takes.
        serde_json::from_str(&text.replace("\\ud83e...", "...")).unwrap()
    };
    let mut shown_otherwise = Vec::new();
    for (set, group) in [
        (Set::Zrb, &cases("zrb/cases.json")),
        (Set::Openotters, &cases("gonotes/cases.json")),
    ] {
        let mut texts = Vec::new();
        texts_of(group, &mut texts);
        texts.sort();
        texts.dedup();
        assert!(texts.len() > 20, "{}", texts.len());
        let mut tools = Tools::new(set);
        for text in texts.iter().filter(|text| !text.contains('\0')) {
            tools.save("", text);
            let read = tools.read();
            if read != *text {
                shown_otherwise.push(read.clone());
            }
            tools.save("", &read);
            let address = match set {
                Set::Zrb => "place:/srv/project",
                _ => "agent:builder#k",
            };
            assert_eq!(tools.stored(address), *text);
        }
    }
    insta::assert_debug_snapshot!(shown_otherwise, @r#"
    [
        "日本 🧠 <U+007F> <U+0001>",
        "<U+001B>[31mred<U+001B>[0m",
    ]
    "#);
}

/// The texts of notes in recorded cases: below `notes_json`, under `content`, and the arguments of `write`.
fn texts_of(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::Array(all) => {
            if let [Value::String(write), _, Value::String(text)] = &all[..]
                && write == "write"
            {
                texts.push(text.clone());
            }
            all.iter().for_each(|value| texts_of(value, texts));
        }
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::String(text) if name == "content" => texts.push(text.clone()),
                    Value::Object(notes) if name == "notes_json" => {
                        texts.extend(
                            notes
                                .values()
                                .filter_map(|text| Some(text.as_str()?.to_owned())),
                        );
                    }
                    value => texts_of(value, texts),
                }
            }
        }
        _ => {}
    }
}
