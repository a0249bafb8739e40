//! Flags over environment over file over default.

use super::common::Scratch;

#[test]
fn each_value_says_where_it_comes_from() {
    let scratch = Scratch::new();
    scratch.put(
        ".config/waynote/config.toml",
        "agent = \"filed\"\nmax_notes = 7\nmax_bytes = -1\nnotes_file = \"~/n.json\"\n",
    );
    let run = scratch
        .run("--session flagged config")
        .env("WAYNOTE_AGENT", "environed")
        .env("WAYNOTE_ITERATION", "3");
    // The widths of columns follow the length of the home's path.
    let said: Vec<String> = run
        .said()
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    insta::assert_snapshot!(said.join("\n"), @"
    SETTING VALUE FROM
    store HOME/.local/share/waynote/notes.db default
    agent environed WAYNOTE_AGENT
    session flagged --session
    iteration 3 WAYNOTE_ITERATION
    author person default
    max_bytes -1 HOME/.config/waynote/config.toml
    max_notes 7 HOME/.config/waynote/config.toml
    max_place_bytes 65536 default
    notes_file HOME/n.json HOME/.config/waynote/config.toml
    style stable default
    budget 2000 default
    token_factor 1 default
    lock_wait 10 default
    token_file - default
    token_command - default
    postgres_password_command - default
    ca_file - default
    notify - default
    action_roots - default
    allow_secrets - default

    configuration file: HOME/.config/waynote/config.toml
    ");
    let json = scratch.json("config --json");
    assert_eq!(json["settings"]["agent"]["value"], "filed");
}

/// A mistake costs one setting: commands go on, say so in one line, and `doctor` explains.
#[test]
fn a_mistake_in_the_configuration_costs_one_setting() {
    let scratch = Scratch::new();
    let file = scratch.home().join("c.toml");
    let mut seen = String::new();
    for text in [
        "max_note = 3\nagent = \"a\"\n",
        "budget = \"many\"\nagent = \"a\"\n",
        "style = \"fancy\"\nagent = \"a\"\n",
        "max_bytes = -5\nagent = \"a\"\ncolour = 1\nlock_wait = \"x\"\n",
    ] {
        std::fs::write(&file, text).unwrap();
        let run = |words: &str| scratch.run(words).env("WAYNOTE_CONFIG", "~/c.toml");
        let json = run("config --json").json();
        assert_eq!(json["settings"]["agent"]["value"], "a", "{text}");
        assert!(!json["problems"].as_array().unwrap().is_empty(), "{text}");
        seen += &format!(
            "{text}$ waynote key save k v\n{}\n",
            run("key save k v").said()
        );
        let doctor = run("doctor goose").said();
        let lines: Vec<&str> = doctor.lines().collect();
        for (number, line) in lines.iter().enumerate() {
            if line.contains("settings:") {
                seen += &format!("doctor: {line}\n{}\n", lines[number + 1]);
            }
        }
        seen += "\n";
    }
    insta::assert_snapshot!(seen, @r#"
    max_note = 3
    agent = "a"
    $ waynote key save k v
    saved agent:a#k (new key)
    warning: HOME/c.toml: line 1: there is no setting `max_note`; run `waynote doctor` for details

    doctor: WRONG settings: HOME/c.toml: line 1: there is no setting `max_note`
          next: did you mean `max_notes`?

    budget = "many"
    agent = "a"
    $ waynote key save k v
    saved agent:a#k (revision 2, with the text of revision 1)
    warning: HOME/c.toml: line 1: `many` is not a token budget; run `waynote doctor` for details

    doctor: WRONG settings: HOME/c.toml: line 1: `many` is not a token budget
          next: write a number of tokens, for example 2000; 0 means no limit

    style = "fancy"
    agent = "a"
    $ waynote key save k v
    saved agent:a#k (revision 3, with the text of revision 2)
    warning: HOME/c.toml: line 1: `fancy` is not a style; run `waynote doctor` for details

    doctor: WRONG settings: HOME/c.toml: line 1: `fancy` is not a style
          next: the styles are stable and faithful

    max_bytes = -5
    agent = "a"
    colour = 1
    lock_wait = "x"
    $ waynote key save k v
    saved agent:a#k (revision 4, with the text of revision 3)
    warning: HOME/c.toml: line 3: there is no setting `colour` (and 1 more); run `waynote doctor` for details

    doctor: WRONG settings: HOME/c.toml: line 3: there is no setting `colour`
          next: the settings are store, agent, session, author, max_bytes, max_notes, max_place_bytes, notes_file, style, budget, token_factor, lock_wait, token_file, token_command, postgres_password_command, ca_file, notify, action_roots, allow_secrets
    doctor: WRONG settings: HOME/c.toml: line 4: `x` is not a waiting time
          next: write seconds, for example 10 or 0.5
    "#);
}

/// An unusable store or owner is not guessed: neither is replaced by a default.
#[test]
fn a_store_or_a_name_that_cannot_be_used_is_not_replaced() {
    let scratch = Scratch::new();
    let file = scratch.home().join("c.toml");
    let mut seen = String::new();
    for text in [
        "sotre = \"~/n.db\"\n",
        "store = ~/n.db\n",
        "store = \"redis://x\"\n",
        "agent = \"a\\nb\"\n",
    ] {
        std::fs::write(&file, text).unwrap();
        let run = |words: &str| scratch.run(words).env("WAYNOTE_CONFIG", "~/c.toml");
        let [listed, saved] = ["key list", "key save k v"].map(|words| run(words).said());
        seen += &format!("{text}$ waynote key save k v\n{saved}\n");
        assert_eq!(listed, saved);
        let named = format!(
            "--store {}/other.db --agent x key save k v",
            scratch.home().display()
        );
        let overridden = run(&named).said();
        // No flag says what a file that cannot be read, or a misspelt name, may say.
        let is_unclear = ["sotre = \"~/n.db\"\n", "store = ~/n.db\n"].contains(&text);
        assert_eq!(overridden.contains("error:"), is_unclear, "{overridden}");
    }
    assert!(!scratch.store().exists());
    insta::assert_snapshot!(seen, @r#"
    sotre = "~/n.db"
    $ waynote key save k v
    exit 1
    error: HOME/c.toml: line 1: there is no setting `sotre`
      did you mean `store`?; `waynote doctor` checks it again

    store = ~/n.db
    $ waynote key save k v
    exit 1
    error: HOME/c.toml: line 1: string values must be quoted, expected literal string
      correct that line; `waynote doctor` checks it again

    store = "redis://x"
    $ waynote key save k v
    exit 1
    error: HOME/c.toml: line 1: `redis://x` is neither a path nor an address
      write https://HOST/s/NAME or postgres://HOST/DATABASE?store=NAME; a file of that name is `./redis://x`; `waynote doctor` checks it again

    agent = "a\nb"
    $ waynote key save k v
    exit 1
    error: HOME/c.toml: line 1: `a<U+000A>b` is not a valid name: it holds the control character U+000A
      a name has 1 to 200 bytes and no control characters; `waynote doctor` checks it again
    "#);
    // A hook reports the problem, and never blocks a session.
    std::fs::write(&file, "agnt = 5\n").unwrap();
    scratch.ok("place write here");
    let hook = |event: &str, input: &str| {
        let hook = scratch.run(&format!("hook claude-code {event}"));
        hook.env("WAYNOTE_CONFIG", "~/c.toml").stdin(input).said()
    };
    insta::assert_snapshot!(hook("SessionStart", "{}"), @r#"
    {"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"waynote: no notes are delivered: HOME/c.toml: line 1: there is no setting `agnt`; a person can run `waynote doctor`\n"}}
    waynote hook: no notes are delivered: HOME/c.toml: line 1: there is no setting `agnt`; a person can run `waynote doctor`
    "#);
    // A file that is not TOML costs all of it; at a tool there is no room for the line.
    std::fs::write(&file, "budget = 5\nagent = a\n").unwrap();
    insta::assert_snapshot!(hook("SessionStart", "{}"), @r#"
    {"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"waynote: no notes are delivered: HOME/c.toml: line 2: string values must be quoted, expected literal string; a person can run `waynote doctor`\n"}}
    waynote hook: no notes are delivered: HOME/c.toml: line 2: string values must be quoted, expected literal string; a person can run `waynote doctor`
    "#);
    insta::assert_snapshot!(hook("PreToolUse", r#"{"session_id":"s","tool_name":"Bash"}"#), @"
    {}
    waynote hook: nothing added: HOME/c.toml: line 2: string values must be quoted, expected literal string
    ");
}

#[test]
fn a_configuration_or_a_variable_that_cannot_be_read_is_named() {
    let scratch = Scratch::new();
    let mut seen = String::new();
    for (name, value, words) in [
        ("WAYNOTE_CONFIG", "/nowhere/c.toml", "key save k v"),
        ("WAYNOTE_CONFIG", "/nowhere/c.toml", "config"),
        ("WAYNOTE_MAX_BYTES", "many", "key save k v"),
        ("WAYNOTE_STORE", "redis://x", "key save k v"),
        ("WAYNOTE_AUTHOR", "a\tb", "key save k v"),
        ("WAYNOTE_AUTHOR", "a\tb", "key list"),
    ] {
        let said = scratch.run(words).env(name, value).said();
        let last = match words {
            "config" => said.split("\n\n").skip(1).collect::<Vec<_>>().join("\n"),
            _ => said,
        };
        seen += &format!("$ {name}={value:?} waynote {words}\n{last}\n");
    }
    insta::assert_snapshot!(seen, @r#"
    $ WAYNOTE_CONFIG="/nowhere/c.toml" waynote key save k v
    exit 1
    error: /nowhere/c.toml: the configuration file cannot be read: No such file or directory (os error 2)
      make the file readable, or move it away, or correct WAYNOTE_CONFIG; `waynote doctor` checks it again

    $ WAYNOTE_CONFIG="/nowhere/c.toml" waynote config
    configuration file: /nowhere/c.toml (does not exist)
    ignored: /nowhere/c.toml: the configuration file cannot be read: No such file or directory (os error 2)
      make the file readable, or move it away, or correct WAYNOTE_CONFIG

    $ WAYNOTE_MAX_BYTES="many" waynote key save k v
    saved agent:default#k (new key)
    warning: WAYNOTE_MAX_BYTES: `many` is not a whole number; run `waynote doctor` for details

    $ WAYNOTE_STORE="redis://x" waynote key save k v
    exit 1
    error: WAYNOTE_STORE: `redis://x` is neither a path nor an address
      write https://HOST/s/NAME or postgres://HOST/DATABASE?store=NAME; a file of that name is `./redis://x`; `waynote doctor` checks it again

    $ WAYNOTE_AUTHOR="a\tb" waynote key save k v
    exit 1
    error: WAYNOTE_AUTHOR: `a<U+0009>b` is not a valid name: it holds the control character U+0009
      a name has 1 to 200 bytes and no control characters; `waynote doctor` checks it again

    $ WAYNOTE_AUTHOR="a\tb" waynote key list
    exit 1
    error: WAYNOTE_AUTHOR: `a<U+0009>b` is not a valid name: it holds the control character U+0009
      a name has 1 to 200 bytes and no control characters; `waynote doctor` checks it again
    "#);
}
