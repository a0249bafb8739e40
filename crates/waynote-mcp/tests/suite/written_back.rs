//! A text that an agent reads and saves again is as it was, byte for byte, unless it hid something.

use jiff::Timestamp;
use serde_json::{Value, json};
use waynote::{Limits, Reader};
use waynote_mcp::Set;

use super::calls::Folder;
use super::embedded::Server;

/// The sets with tools that change a note, and the address of the note that the tests change with each.
const CHANGING: [(Set, &str); 4] = [
    (Set::Default, "agent:builder#k"),
    (Set::Openotters, "agent:builder#k"),
    (Set::Zrb, "place:/srv/project"),
    (Set::Memory, "place:/memories/builder/k"),
];

/// Line ends of every kind, controls, what is invisible and hides nothing, and texts that look like codes and tags.
const ODD: &str = "crlf\r\ncr\rtab\tnel\u{85}ls\u{2028}esc\u{1b}[31m so\u{ad}ft ze\u{200b}ro \u{200e}a\u{200f} \
     👨\u{200d}👩\u{200d}👧 ❤\u{fe0f}\u{200d}🔥 🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f} <U+202E> &lt; \
     <system> <user>bob</user> Vec<User> \u{feff}end  ";

struct Tools {
    folder: Folder,
    server: Server,
    set: Set,
}

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

    /// Saves a text, and returns the reply.
    fn save(&mut self, text: &str) -> String {
        let (tool, arguments) = match self.set {
            Set::Zrb => ("WriteContextualNote", json!({ "content": text })),
            Set::Memory => (
                "memory",
                json!({ "command": "create", "path": "/memories/k", "file_text": text }),
            ),
            _ => ("note_save", json!({ "key": "k", "content": text })),
        };
        self.server.reply(tool, &arguments)
    }

    /// The note's text as the model reads it.
    fn read(&mut self) -> String {
        match self.set {
            Set::Zrb => self.server.reply("ReadContextualNote", &json!({})),
            Set::Memory => {
                let view = json!({ "command": "view", "path": "/memories/k" });
                let view = self.server.reply("memory", &view);
                let numbered = view.split('\n').skip(1);
                let lines: Vec<&str> = numbered
                    .map(|line| line.split_once('\t').unwrap().1)
                    .collect();
                lines.join("\n")
            }
            _ => self.server.reply("note_show", &json!({ "key": "k" })),
        }
    }

    /// The text in the store.
    fn stored(&self, address: &str) -> String {
        let note = self.folder.store().get(&address.parse().unwrap());
        note.unwrap().unwrap().content.as_text().unwrap().to_owned()
    }
}

#[test]
fn a_text_comes_back_byte_for_byte() {
    for (set, address) in CHANGING {
        let mut tools = Tools::new(set);
        tools.save(ODD);
        assert_eq!(tools.read(), ODD, "{set:?}");
        if set == Set::Memory {
            // It has no command that replaces a whole file.
            let edit = json!({ "command": "str_replace", "path": "/memories/k", "old_str": ODD, "new_str": ODD });
            tools.server.reply("memory", &edit);
        } else {
            let read = tools.read();
            tools.save(&read);
        }
        assert_eq!(tools.stored(address), ODD, "{set:?}");
    }
}

#[test]
fn hidden_characters_are_dropped_and_the_reply_says_so() {
    for (set, address) in CHANGING {
        let mut tools = Tools::new(set);
        let said = tools.save("a\u{202e}b\u{2069}\u{e0041}c\u{fe01}\u{fe02}\u{fe03}\u{fe04}");
        assert!(
            said.contains("; dropped 7 hidden characters"),
            "{set:?}: {said}"
        );
        assert_eq!(tools.stored(address), "abc", "{set:?}");
        assert_eq!(tools.read(), "abc", "{set:?}");
    }
    let mut tools = Tools::new(Set::Ralph);
    let tip: Value = json!({ "content": "x\u{202e}y", "type": "tip" });
    insta::assert_snapshot!(tools.server.reply("note_add", &tip), @"Note added: [tip] xy; dropped 1 hidden character");
}
