//! Settings that are written into the configuration file, and taken out of it.

use std::fs;

use super::common::{Scratch, assert_transcript};

#[test]
fn a_setting_is_set_for_good_and_the_rest_stays() {
    let scratch = Scratch::new();
    let before = "# my settings\nagent = \"a\" # mine\n\n# for long prompts\nbudget = 3_000\n";
    let file = scratch.put(".config/waynote/config.toml", before);
    assert_transcript!(scratch, @r#"
    $ waynote config set style faithful
    set style = "faithful" in HOME/.config/waynote/config.toml

    $ waynote config set agent builder
    set agent = "builder" in HOME/.config/waynote/config.toml

    $ waynote config set token_factor 1.2
    set token_factor = 1.2 in HOME/.config/waynote/config.toml

    $ waynote config set allow_secrets jwt,npm-token
    set allow_secrets = ["jwt", "npm-token"] in HOME/.config/waynote/config.toml

    $ waynote config set store ../n.db
    set store = "HOME/n.db" in HOME/.config/waynote/config.toml

    $ waynote config set notes_file ~/.zrb/notes.json
    set notes_file = "~/.zrb/notes.json" in HOME/.config/waynote/config.toml

    $ waynote config unset budget
    budget is no longer set in HOME/.config/waynote/config.toml

    $ waynote config unset budget
    budget was not set in HOME/.config/waynote/config.toml

    $ waynote config set agents x
    exit 2
    error: `agents` is not a setting of the configuration file
      did you mean `agent`?

    $ waynote config set notes_file ''
    exit 2
    error: the value is empty
      give one, or leave the setting out

    "#);
    let written = fs::read_to_string(&file).unwrap();
    insta::assert_snapshot!(written.replace(scratch.home().to_str().unwrap(), "HOME"), @r#"
    # my settings
    agent = "builder" # mine
    style = "faithful"
    token_factor = 1.2
    allow_secrets = ["jwt", "npm-token"]
    store = "HOME/n.db"
    notes_file = "~/.zrb/notes.json"
    "#);
}

#[test]
fn a_file_is_made_and_a_damaged_one_is_left_alone() {
    let scratch = Scratch::new();
    let run = scratch
        .run("config set style faithful")
        .env("WAYNOTE_STYLE", "stable");
    insta::assert_snapshot!(run.said(), @r#"
    set style = "faithful" in HOME/.config/waynote/config.toml
    note: WAYNOTE_STYLE is set and overrides the file
    "#);
    let file = scratch.home().join(".config/waynote/config.toml");
    assert_eq!(fs::read_to_string(&file).unwrap(), "style = \"faithful\"\n");
    fs::write(&file, "agent = \"a\"\nstyle = \n").unwrap();
    insta::assert_snapshot!(scratch.run("config set budget 5").said(), @"
    exit 1
    error: HOME/.config/waynote/config.toml: line 2: string values must be quoted, expected literal string
      correct that line, then run the command again; nothing was written
    ");
    let left = fs::read_to_string(&file).unwrap();
    assert_eq!(left, "agent = \"a\"\nstyle = \n");
}
