//! Flags over environment over file over default.

use super::common::Scratch;

#[test]
fn each_value_says_where_it_comes_from() {
    let scratch = Scratch::new();
    let folder = scratch.home().join(".config/waynote");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(
        folder.join("config.toml"),
        "agent = \"filed\"\nmax_notes = 7\nmax_bytes = -1\nnotes_file = \"~/n.json\"\n",
    )
    .unwrap();
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
    exit 0
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
    allow_secrets - default

    configuration file: HOME/.config/waynote/config.toml
    ");
    let json = scratch.json("config --json");
    assert_eq!(json["settings"]["agent"]["value"], "filed");
}

#[test]
fn a_broken_configuration_is_named() {
    let scratch = Scratch::new();
    let file = scratch.home().join("c.toml");
    let said = |text: &str| {
        std::fs::write(&file, text).unwrap();
        scratch
            .run("config")
            .env("WAYNOTE_CONFIG", "~/c.toml")
            .said()
    };
    insta::assert_snapshot!(said("agent = \"a\"\nmax_note = 3\n"), @"
    exit 1
    error: HOME/c.toml: line 2: unknown field `max_note`, expected one of `store`, `agent`, `session`, `author`, `max_bytes`, `max_notes`, `max_place_bytes`, `notes_file`, `style`, `budget`, `token_factor`, `lock_wait`, `allow_secrets`
      mend the file; docs/guide.md lists the settings
    ");
    insta::assert_snapshot!(said("agent = "), @"
    exit 1
    error: HOME/c.toml: line 1: string values must be quoted, expected literal string
      mend the file; docs/guide.md lists the settings
    ");
    insta::assert_snapshot!(said("style = \"fancy\""), @"
    exit 2
    error: `fancy` is not a style (HOME/c.toml)
      the styles are stable and faithful
    ");
    insta::assert_snapshot!(said("agent = \"a\\nb\""), @"
    exit 2
    error: `a<U+000A>b` is not a valid name: it holds the control character U+000A
      a name is 1 to 200 bytes without control characters
    ");
    insta::assert_snapshot!(scratch.run("config").env("WAYNOTE_CONFIG", "/nowhere/c.toml").said(), @"
    exit 1
    error: /nowhere/c.toml cannot be read: No such file or directory (os error 2)
      mend that and try again
    ");
    insta::assert_snapshot!(scratch.run("config").env("WAYNOTE_MAX_BYTES", "many").said(), @"
    exit 2
    error: WAYNOTE_MAX_BYTES is not a whole number: `many`
      set it to one, or unset it
    ");
}
