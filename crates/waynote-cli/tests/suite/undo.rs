//! Undo and redo as their user meets them.

use super::common::{Scratch, assert_transcript};

/// The state at the end of the README's five minutes: the last write is an entry of a log. `undo` reports that, and
/// continues with the note that is named.
#[test]
fn entries_of_a_log_are_passed_over() {
    let scratch = Scratch::ticking();
    assert_transcript!(scratch, @r#"
    $ waynote place write here
    saved place:~/work (revision 1)

    $ waynote key save staging-db read-only
    saved agent:default#staging-db (new key)

    $ waynote --session nightly log add --type tip wall
    Note added: [tip] wall

    $ waynote undo
    exit 1
    error: your last write is session:nightly#03g56gadhc9giz28czz6pv2et, which `undo` cannot take back: a log is append-only
      name the note to undo: `waynote undo ADDRESS`; `waynote forget session:nightly#03g56gadhc9giz28czz6pv2et` removes the text of the entry

    $ waynote undo agent:default#staging-db
    removed agent:default#staging-db (undid its creation); `waynote redo agent:default#staging-db` or `waynote restore agent:default#staging-db@1` brings it back

    $ waynote undo
    removed place:~/work (undid its creation); `waynote redo` or `waynote restore place:~/work@1` brings it back

    $ waynote undo
    exit 1
    error: there is nothing to undo
      `waynote restore ADDRESS --revision N` brings back any revision

    $ waynote redo
    redid the last change of place:~/work (now revision 3: here)

    $ waynote redo
    redid the last change of agent:default#staging-db (now revision 3: read-only)

    $ waynote redo
    exit 1
    error: there is nothing to redo
      only what was undone can be redone, until the next change; `waynote restore ADDRESS --revision N` brings back any revision
    "#);
}

/// The words; the library's tests have the rule.
#[test]
fn only_ones_own_changes_here_are_meant() {
    let scratch = Scratch::ticking();
    assert_transcript!(scratch, @"
    $ waynote key save mine one
    saved agent:default#mine (new key)

    $ waynote place write --at /srv elsewhere
    saved place:/srv (revision 1)

    $ waynote undo
    removed agent:default#mine (undid its creation); `waynote redo` or `waynote restore agent:default#mine@1` brings it back
    your newer change is to place:/srv, which `undo` does not reach from here: run `waynote undo place:/srv`

    $ waynote undo
    exit 1
    error: you have no change to undo
      the last change is of place:/srv, by person: `waynote undo place:/srv` undoes it

    $ waynote key save mine three
    saved agent:default#mine (new key)

    $ waynote --author agent:b key save mine four
    saved agent:default#mine (overwrote revision 3; `waynote undo agent:default#mine` brings it back)

    $ waynote undo
    exit 1
    error: agent:b has changed agent:default#mine since your last change of it
      look at `waynote history agent:default#mine`, then undo it by its address, or restore a revision
    ");
}

#[test]
fn one_undo_takes_back_a_whole_move() {
    let scratch = Scratch::ticking();
    scratch.ok("place write --at ~/work/a One.");
    scratch.ok("key save --at ~/work/a build make");
    assert_transcript!(scratch, @"
    $ waynote place mv ~/work/a ~/b
    moved 2 notes from ~/work/a to ~/b; `waynote undo` moves them back

    $ waynote undo
    undid the last change, of 4 notes; `waynote redo` brings it back
      place:~/b#build (no longer exists)
      place:~/b (no longer exists)
      place:~/work/a#build (now revision 3: make)
      place:~/work/a (now revision 3: One.)

    $ waynote redo
    redid the last change, of 4 notes
      place:~/work/a (no longer exists)
      place:~/work/a#build (no longer exists)
      place:~/b (now revision 3: One.)
      place:~/b#build (now revision 3: make)
    ");
    let undone = scratch.json("undo --json");
    assert_eq!(undone["notes"].as_array().unwrap().len(), 4);
}
