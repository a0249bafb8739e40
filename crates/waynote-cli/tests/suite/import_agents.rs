//! Imports of the files that people have from other programs, in the forms that they really have.

use std::fs;
use std::os::unix::fs::symlink;

use super::common::{Scratch, assert_transcript, git, has, lacks};

fn write(scratch: &Scratch, path: &str, text: &str) {
    let path = scratch.put(path, text);
    let written = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_770_000_000);
    let file = fs::File::options().write(true).open(path).unwrap();
    file.set_modified(written).unwrap();
}

#[test]
fn claude_codes_files_apply_where_they_did() {
    let scratch = Scratch::new();
    let project = scratch.home().join("work").display().to_string();
    let project = project.replace(|char: char| !char.is_ascii_alphanumeric(), "-");
    let memory = format!(".claude/projects/{project}/memory");
    for (path, text) in [
        ("work/CLAUDE.md", "# Shop\n\nPrices in cents.\n"),
        ("work/CLAUDE.local.md", "  \n"),
        ("work/.claude/rules/api/handlers.md", "Never block.\n"),
        (".claude/CLAUDE.md", "Short answers.\n"),
        (&format!("{memory}/MEMORY.md"), "- [deploy](deploy.md)\n"),
        (&format!("{memory}/deploy.md"), "make ship\n"),
    ] {
        write(&scratch, path, text);
    }
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
    let planned =
        "would import place:~/work#agents-md\nwould add 1 and update 0; 0 unchanged, 0 skipped\n";
    assert_eq!(scratch.ok("import agents-md --dry-run"), planned);
    has(
        scratch.run("import agents-md --at ~").said(),
        "there is nothing to import",
    );
    assert!(!scratch.store().exists());
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
    for (file, text) in [
        (
            "specs/Search Design.md",
            "---\npermalink: specs/search-design\n---\n\n- implements [[API]]\n",
        ),
        ("plain.md", "# Plain\n\nNo head.\n"),
        (
            "Specs-Search.Design.md",
            "---\npermalink: specs/search.design\n---\nAnother.\n",
        ),
        (".obsidian/workspace.md", "not a note\n"),
        ("empty.md", "---\ntitle:\n---\n"),
    ] {
        write(&scratch, &format!("work/kb/{file}"), text);
    }
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

#[test]
fn a_rule_for_some_files_becomes_a_note_of_their_directory_or_names_them() {
    let scratch = Scratch::new();
    fs::create_dir_all(scratch.home().join("work/src/api")).unwrap();
    for (name, text) in [
        (
            "api.mdc",
            "---\ndescription: Handlers\nglobs: src/api/**/*.ts\n---\nNever block.\n",
        ),
        ("all.mdc", "---\nglobs: *.ts,*.tsx\n---\n\n# Types\n"),
        ("react.md", "one\n"),
        ("react.mdc", "two\n"),
    ] {
        scratch.put(&format!("work/.cursor/rules/{name}"), text);
    }
    assert_transcript!(scratch, @"
    $ waynote import cursor-rules
    imported place:~/work#cursor-rule-all
    imported place:~/work/src/api#cursor-rule-api
    imported place:~/work#cursor-rule-react
    imported place:~/work#cursor-rule-react-9e9c2c3a
    4 added, 0 updated, 0 unchanged, 0 skipped
    under keys of their own:
      place:~/work#cursor-rule-react-9e9c2c3a: place:~/work#cursor-rule-react is another note

    $ waynote key show --at src/api cursor-rule-api
    Handlers

    Never block.

    Applies to: `src/api/**/*.ts`

    $ waynote key show --at . cursor-rule-all
    # Types

    Applies to: `*.ts`, `*.tsx`
    ");
}

#[test]
fn a_file_in_another_encoding_is_read_or_named() {
    let scratch = Scratch::new();
    let utf16 = "\u{FEFF}Grüße\n".encode_utf16().flat_map(u16::to_le_bytes);
    scratch.put("work/AGENTS.md", Vec::from_iter(utf16));
    scratch.put("work/GEMINI.md", b"Gr\xFC\xDFe\n");
    scratch.ok("import agents-md");
    assert_eq!(scratch.ok("key show --at . agents-md"), "Grüße\n");
    let said = scratch.run("import gemini-md").said();
    has(&said, "exit 1");
    has(&said, "it is not UTF-8: byte 0xFC at offset 2");
}

#[test]
fn agents_md_does_not_feed_itself() {
    let scratch = Scratch::new();
    let file = scratch.put("work/AGENTS.md", "# Shop\r\n\r\nUse pnpm.\r\n");
    symlink("AGENTS.md", scratch.home().join("work/CLAUDE.md")).unwrap();
    scratch.ok("key save --at . build make");
    scratch.ok("key save --at . pnpm 'Use pnpm.'");
    let mut sizes = Vec::new();
    for _ in 0..3 {
        scratch.ok("import agents-md");
        scratch.run("import claude-code").said();
        scratch.ok("export agents-md");
        sizes.push(fs::metadata(&file).unwrap().len());
    }
    assert_eq!(sizes[0], sizes[2]);
    let text = fs::read_to_string(&file).unwrap();
    assert!(
        text.starts_with("# Shop\r\n\r\nUse pnpm.\r\n\r\n<!-- waynote: begin"),
        "{text}"
    );
    lacks(text.replace("\r\n", ""), "\n");
    assert_eq!(text.matches("Use pnpm").count(), 1);
    let block = scratch.ok("context");
    assert_eq!(block.matches("# Shop").count(), 1, "{block}");
    assert_eq!(
        scratch.ok("key show --at . agents-md"),
        "# Shop\r\n\r\nUse pnpm.\r\n"
    );
}

#[test]
fn sources_are_found_from_a_subdirectory_and_from_a_linked_worktree() {
    let scratch = Scratch::new();
    let at = |path: &str| scratch.home().join(path);
    fs::create_dir_all(at("shop/src")).unwrap();
    let git = |words: &str| git(&at("shop"), words);
    git("init -q");
    scratch.put("shop/AGENTS.md", "Use pnpm.");
    scratch.put("shop/src/AGENTS.md", "Below.");
    git("add .");
    git("commit -qm one");
    git("worktree add -q ../tree");
    scratch.put("shop/.serena/memories/build.md", "make all");
    let folder = at("shop")
        .to_string_lossy()
        .replace(|char: char| !char.is_ascii_alphanumeric(), "-");
    scratch.put(
        &format!(".claude/projects/{folder}/memory/MEMORY.md"),
        "remembered",
    );
    for directory in ["shop/src", "tree/src"] {
        let listed = scratch.run("start").cwd(at(directory)).ok();
        let listed: Vec<&str> = listed.split_whitespace().collect();
        for found in ["claude-memory 1", "agents-md 2", "serena 1"] {
            has(listed.join(" "), found);
        }
        let imported = scratch
            .run("import claude-memory --dry-run")
            .cwd(at(directory))
            .ok();
        has(&imported, "would import place:~/shop#memory");
    }
    scratch.run("import agents-md").cwd(at("tree/src")).ok();
    assert_eq!(scratch.ok("key show --at ~/shop agents-md"), "Use pnpm.");
    assert_eq!(scratch.ok("key show --at ~/shop/src agents-md"), "Below.");
}
