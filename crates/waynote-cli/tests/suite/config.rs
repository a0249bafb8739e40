//! Flags over environment over file over default.

use super::common::{Scratch, assert_transcript, has};

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
    repo_names true default
    repos - default
    trust - default
    team.store - default
    team.repositories - default
    allow_secrets - default

    configuration file: HOME/.config/waynote/config.toml
    ");
    let json = scratch.json("config --json");
    assert_eq!(json["settings"]["agent"]["value"], "filed");
}

#[test]
fn a_mistake_in_the_configuration_costs_one_setting() {
    let scratch = Scratch::new();
    let text = "max_note = 3\nbudget = \"many\"\nstyle = \"fancy\"\nagent = \"a\"\n";
    scratch.put(".config/waynote/config.toml", text);
    let json = scratch.json("config --json");
    assert_eq!(json["settings"]["agent"]["value"], "a");
    assert_eq!(json["problems"].as_array().unwrap().len(), 3);
    insta::assert_snapshot!(scratch.run("key save k v").said(), @"
    saved agent:a#k (new, in a new notebook)
    warning: HOME/.config/waynote/config.toml: line 1: there is no setting `max_note` (and 2 more); run `waynote doctor` for details
    ");
    let doctor = scratch.run("doctor goose").said();
    let findings = doctor
        .lines()
        .skip_while(|line| !line.contains("settings:"));
    insta::assert_snapshot!(findings.take(6).collect::<Vec<_>>().join("\n"), @"
    WRONG settings: HOME/.config/waynote/config.toml: line 1: there is no setting `max_note`
          next: did you mean `max_notes`?
    WRONG settings: HOME/.config/waynote/config.toml: line 2: `many` is not a token budget
          next: write a number of tokens, for example 2000; 0 means no limit
    WRONG settings: HOME/.config/waynote/config.toml: line 3: `fancy` is not a style
          next: the styles are stable and faithful
    ");
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

    agent = "a\nb"
    $ waynote key save k v
    exit 1
    error: HOME/c.toml: line 1: `a<U+000A>b` is not a valid name: it holds the control character U+000A
      a name has 1 to 200 bytes and no control characters; `waynote doctor` checks it again
    "#);
    // A hook reports the problem, and never blocks a session.
    scratch.ok("place write here");
    let hook = |event: &str, input: &str| {
        let hook = scratch.run(&format!("hook claude-code {event}"));
        hook.env("WAYNOTE_CONFIG", "~/c.toml").stdin(input).said()
    };
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
fn a_setting_is_set_for_one_command() {
    let scratch = Scratch::new();
    scratch.ok("key save fact v --pin");
    has(scratch.ok("--set budget=500 context"), "of 500 tokens");
    assert_transcript!(scratch, @"
    $ waynote --set budget context
    exit 2
    error: `--set budget` gives no value
      write it as `--set NAME=VALUE`

    ");
}
