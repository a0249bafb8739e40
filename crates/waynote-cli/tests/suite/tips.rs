//! The proposals for arguments that cannot be read.

use insta::assert_snapshot;

use super::common::{Scratch, seen_of_words as seen};

#[test]
fn a_tip_names_what_works() {
    let scratch = Scratch::new();
    let said = seen(
        &scratch,
        &[
            &["loop", "--answer", "-x", "--", "true"],
            &["loop", "--until", "--foo", "--", "true"],
            &["loop", "--answer", "- a list", "--", "true"],
            &["loop", "--iteratons", "3", "--", "true"],
            &["forget", "--foo"],
            &["undo", "--x"],
            &["loop-guard2"],
            &["demo-agen"],
            &["undo", "--x", "--json"],
        ],
    );
    assert_snapshot!(said, @r#"
    $ waynote loop --answer -x -- true
    exit 2
    error: unexpected argument '-x' found

      tip: a value that begins with `-` goes after `=`: `--answer=-x`

    Usage: waynote loop [OPTIONS] [-- <AGENT>...]

    For more information, try '--help'.

    $ waynote loop --until --foo -- true
    exit 2
    error: unexpected argument '--foo' found

      tip: a value that begins with `-` goes after `=`: `--until=--foo`

    Usage: waynote loop [OPTIONS] [-- <AGENT>...]

    For more information, try '--help'.

    $ waynote loop --answer - a list -- true
    exit 2
    error: unexpected argument '- a list' found

      tip: a value that begins with `-` goes after `=`: `--answer='- a list'`

    Usage: waynote loop [OPTIONS] [-- <AGENT>...]

    For more information, try '--help'.

    $ waynote loop --iteratons 3 -- true
    exit 2
    error: unexpected argument '--iteratons' found

      tip: a similar argument exists: '--iterations'

    Usage: waynote loop --iterations <N> [-- <AGENT>...]

    For more information, try '--help'.

    $ waynote forget --foo
    exit 2
    error: unexpected argument '--foo' found

    Usage: waynote forget [OPTIONS] <ADDRESS>

    For more information, try '--help'.

    $ waynote undo --x
    exit 2
    error: unexpected argument '--x' found

    Usage: waynote undo [OPTIONS] [ADDRESS]

    For more information, try '--help'.

    $ waynote loop-guard2
    exit 2
    error: unrecognized subcommand 'loop-guard2'

      tip: some similar subcommands exist: 'log', 'loop'

    Usage: waynote [OPTIONS] [COMMAND]

    For more information, try '--help'.

    $ waynote demo-agen
    exit 2
    error: unrecognized subcommand 'demo-agen'

      tip: a similar subcommand exists: 'demo'

    Usage: waynote [OPTIONS] [COMMAND]

    For more information, try '--help'.

    $ waynote undo --x --json
    exit 2
    {"error":{"hint":"try `waynote --help`","kind":"usage","message":"unexpected argument '--x' found"}}
    "#);
}
