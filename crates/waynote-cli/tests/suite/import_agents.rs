//! Imports of the files that people have from other programs.

use std::fs;

use super::common::{Scratch, assert_transcript};

fn write(scratch: &Scratch, path: &str, text: &str) {
    let path = scratch.put(path, text);
    let written = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_770_000_000);
    let file = fs::File::options().write(true).open(path).unwrap();
    file.set_modified(written).unwrap();
}

#[test]
fn claude_codes_files_apply_where_they_did() {
    let scratch = Scratch::new();
    let project: String = scratch
        .home()
        .join("work")
        .to_string_lossy()
        .chars()
        .map(|char| {
            if char.is_ascii_alphanumeric() {
                char
            } else {
                '-'
            }
        })
        .collect();
    write(&scratch, "work/CLAUDE.md", "# Shop\n\nPrices in cents.\n");
    write(&scratch, "work/CLAUDE.local.md", "  \n");
    write(
        &scratch,
        "work/.claude/rules/api/handlers.md",
        "Never block.\n",
    );
    write(&scratch, ".claude/CLAUDE.md", "Short answers.\n");
    write(
        &scratch,
        &format!(".claude/projects/{project}/memory/MEMORY.md"),
        "- [deploy](deploy.md)\n",
    );
    write(
        &scratch,
        &format!(".claude/projects/{project}/memory/deploy.md"),
        "make ship\n",
    );
    assert_transcript!(scratch, @"
    $ waynote import claude-code --dry-run
    would import place:~/work#claude-md
    would import place:~/work#claude-rule-api-handlers
    would import place:~#claude-md
    would add 3 and update 0; 0 unchanged, 1 skipped
    skipped 1:
      HOME/work/CLAUDE.local.md: it is empty

    $ waynote import claude-code
    imported place:~/work#claude-md
    imported place:~/work#claude-rule-api-handlers
    imported place:~#claude-md
    3 added, 0 updated, 0 unchanged, 1 skipped
    skipped 1:
      HOME/work/CLAUDE.local.md: it is empty

    $ waynote import claude-memory
    imported place:~/work#memory
    imported place:~/work#memory-deploy
    2 added, 0 updated, 0 unchanged, 0 skipped

    $ waynote key list --at ~/work
    NOTE                                   UPDATED               PINNED  PREVIEW
    place:~/work#claude-md                 2026-02-02T02:40:00Z          # Shop
    place:~/work#claude-rule-api-handlers  2026-02-02T02:40:00Z          Never block.
    place:~/work#memory                    2026-02-02T02:40:00Z          - [deploy](deploy.md)
    place:~/work#memory-deploy             2026-02-02T02:40:00Z          make ship

    $ waynote key list --at ~
    NOTE               UPDATED               PINNED  PREVIEW
    place:~#claude-md  2026-02-02T02:40:00Z          Short answers.
    ");
    // Changes there are imported; notes that were changed or deleted here stay so.
    write(&scratch, "work/CLAUDE.md", "Prices in euros.\n");
    scratch.ok("key save memory mine --at ~/work");
    scratch.ok("key delete memory-deploy --at ~/work");
    scratch.ok("forget --yes place:~#claude-md");
    assert_transcript!(scratch, @"
    $ waynote import claude-code
    imported place:~/work#claude-md
    0 added, 1 updated, 1 unchanged, 2 skipped
    skipped 2:
      HOME/work/CLAUDE.local.md: it is empty
      place:~#claude-md: what it said before was forgotten, and this may be it; save it by hand if it is not

    $ waynote import claude-memory
    0 added, 0 updated, 0 unchanged, 2 skipped
    skipped 2:
      place:~/work#memory: it was imported before and changed since; `waynote restore place:~/work#memory@1` brings it back
      place:~/work#memory-deploy: it was imported before and deleted since; `waynote restore place:~/work#memory-deploy@1` brings it back
    ");
    assert_eq!(
        scratch.ok("key show claude-md --at ~/work"),
        "Prices in euros.\n"
    );
    assert_eq!(scratch.ok("key show memory --at ~/work"), "mine");
}

#[test]
fn a_dry_run_makes_no_store() {
    let scratch = Scratch::new();
    write(&scratch, "work/AGENTS.md", "Use pnpm.\n");
    assert_transcript!(scratch, @"
    $ waynote import agents-md --dry-run
    would import place:~/work#agents-md
    would add 1 and update 0; 0 unchanged, 0 skipped

    $ waynote import agents-md --at ~
    exit 1
    error: there is nothing to import
      name the directory with `--at`, or look at what is in the file or folder
    ");
    assert!(!scratch.store().exists());
    scratch.ok("import agents-md");
    assert_eq!(scratch.ok("key show agents-md --at ~/work"), "Use pnpm.\n");
}

#[test]
fn a_graph_becomes_a_note_for_each_entity() {
    let scratch = Scratch::new();
    write(
        &scratch,
        "work/memory.jsonl",
        r#"{"type":"entity","name":"John_Smith","entityType":"person","observations":["speaks Spanish","likes tea"]}
{"type":"entity","name":"john_SMITH","entityType":"person","observations":["likes tea","late riser"]}
{"type":"entity","name":"東京","entityType":"place","observations":[]}
{"type":"relation","from":"John_Smith","to":"Anthropic","relationType":"works_at"}
{"type":"relation","from":"Nobody","to":"X","relationType":"knows"}

{"type":"entity","name":
{"type":"tomb"}
"#,
    );
    assert_transcript!(scratch, @"
    $ waynote import server-memory memory.jsonl
    imported agent:default#john_smith
    imported agent:default#john_smith-1edf0efb
    imported agent:default#note-130016b2
    3 added, 0 updated, 0 unchanged, 3 skipped
    skipped 3:
      line 7: EOF while parsing a value at line 1 column 24
      line 8: it is no entity and no relation
      line 5: it is about `Nobody`, which is no entity of the file
    under keys of their own:
      agent:default#john_smith-1edf0efb: agent:default#john_smith is another note

    $ waynote import server-memory memory.jsonl --at ~/work --dry-run
    would import place:~/work#john_smith
    would import place:~/work#john_smith-1edf0efb
    would import place:~/work#note-130016b2
    would add 3 and update 0; 0 unchanged, 3 skipped
    skipped 3:
      line 7: EOF while parsing a value at line 1 column 24
      line 8: it is no entity and no relation
      line 5: it is about `Nobody`, which is no entity of the file
    under keys of their own:
      place:~/work#john_smith-1edf0efb: place:~/work#john_smith is another note

    $ waynote key show john_smith
    John_Smith (person)
    - speaks Spanish
    - likes tea
    - works_at: Anthropic
    ");
}

#[test]
fn a_folder_of_basic_memory_becomes_a_note_for_each_file() {
    let scratch = Scratch::new();
    write(
        &scratch,
        "work/kb/specs/Search Design.md",
        "---\ntitle: Search Design\ntype: spec\ntags: [search, api]\npermalink: specs/search-design\n---\n\n- [decision] BM25 first #search\n- implements [[API]]\n",
    );
    write(&scratch, "work/kb/plain.md", "# Plain\n\nNo head.\n");
    write(
        &scratch,
        "work/kb/Specs-Search.Design.md",
        "---\npermalink: specs/search.design\n---\nAnother.\n",
    );
    write(&scratch, "work/kb/.obsidian/workspace.md", "not a note\n");
    write(&scratch, "work/kb/empty.md", "---\ntitle:\n---\n");
    assert_transcript!(scratch, @"
    $ waynote import basic-memory kb --dry-run
    would import agent:default#specs-search-design
    would import agent:default#plain
    would import agent:default#specs-search-design-e78c844a
    would add 3 and update 0; 0 unchanged, 1 skipped
    skipped 1:
      empty.md: it is empty
    under keys of their own:
      agent:default#specs-search-design-e78c844a: agent:default#specs-search-design is another note

    $ waynote import basic-memory kb
    imported agent:default#specs-search-design
    imported agent:default#plain
    imported agent:default#specs-search-design-e78c844a
    3 added, 0 updated, 0 unchanged, 1 skipped
    skipped 1:
      empty.md: it is empty
    under keys of their own:
      agent:default#specs-search-design-e78c844a: agent:default#specs-search-design is another note

    $ waynote key show specs-search-design
    Another.
    ");
}
