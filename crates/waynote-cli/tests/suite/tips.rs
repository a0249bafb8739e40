//! The proposals for arguments that cannot be read.

use super::common::{Scratch, assert_transcript};

#[test]
fn a_tip_names_what_works() {
    let scratch = Scratch::new();
    assert_transcript!(scratch, @r#"
    $ waynote loop --answer -x -- true
    exit 2
    error: unexpected argument '-x' found

      tip: a text that begins with `-` goes after `--`, the value of an option after `=`

    $ waynote loop --until --foo -- true
    exit 2
    error: unexpected argument '--foo' found

      tip: a text that begins with `-` goes after `--`, the value of an option after `=`

    $ waynote loop --answer '- a list' -- true
    exit 2
    error: unexpected argument '- ' found

      tip: a text that begins with `-` goes after `--`, the value of an option after `=`

    $ waynote loop-guard2
    exit 2
    error: unrecognized subcommand 'loop-guard2'

    $ waynote undo --x --json
    exit 2
    {"error":{"hint":"a text that begins with `-` goes after `--`, the value of an option after `=`","kind":"usage","message":"unexpected argument '--x' found"}}
    "#);
}
