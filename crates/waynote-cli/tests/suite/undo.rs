//! Undo and redo as their user meets them.

use super::common::{Scratch, assert_transcript};

/// The state at the end of the README's five minutes: the last write is an entry of a log. `undo` reports that, and
/// continues with the note that is named.
#[test]
fn entries_of_a_log_are_passed_over() {
    let scratch = Scratch::ticking();
    assert_transcript!(scratch, @"
    $ waynote place write here
    saved place:~/work (new)

    $ waynote key save staging-db read-only
    saved agent:default#staging-db (new, in every project)

    $ waynote --session nightly log add --type tip wall
    Note added: [tip] wall

    $ waynote undo
    undid the last change of agent:default#staging-db (it no longer exists); `waynote redo` brings it back

    $ waynote undo agent:default#staging-db
    exit 1
    error: there is nothing to undo in agent:default#staging-db
      `waynote history ADDRESS` lists the revisions that are left, and `waynote restore` brings one back

    $ waynote undo
    undid the last change of place:~/work (it no longer exists); `waynote redo` brings it back

    $ waynote undo
    exit 1
    error: there is nothing to undo
      `waynote history ADDRESS` lists the revisions that are left, and `waynote restore` brings one back

    $ waynote redo
    redid the last change of place:~/work (now revision 3: here)

    $ waynote redo
    redid the last change of agent:default#staging-db (now revision 3: read-only)

    $ waynote redo
    exit 1
    error: there is nothing to redo
      only what was undone can be redone, until the next change; `waynote history ADDRESS` lists the revisions that are left, and `waynote restore` brings one back
    ");
}

/// A command that is named goes to the same store.
#[test]
fn the_next_step_names_the_store_of_the_command_line() {
    let scratch = Scratch::ticking();
    assert_transcript!(scratch, @"
    $ waynote --store other.db note --key k one
    saved agent:default#k (new, in every project)
    created the store other.db, which was not there

    $ waynote --store other.db note --key k two
    saved agent:default#k (overwrote revision 1; `waynote --store other.db undo agent:default#k` brings it back)

    $ waynote --store=other.db undo k
    undid the last change of agent:default#k (now revision 3: one); `waynote --store other.db redo k` brings it back

    $ waynote --store other.db redo k
    redid the last change of agent:default#k (now revision 4: two)

    $ waynote --store other.db redo k
    exit 1
    error: there is nothing to redo in agent:default#k
      only what was undone can be redone, until the next change; `waynote --store other.db history ADDRESS` lists the revisions that are left, and `waynote --store other.db restore` brings one back
    ");
}

/// The words; the library's tests have the rule.
#[test]
fn only_ones_own_changes_here_are_meant() {
    let scratch = Scratch::ticking();
    assert_transcript!(scratch, @"
    $ waynote key save mine one
    saved agent:default#mine (new, in every project)

    $ waynote place write --at /srv elsewhere
    saved place:/srv (new)

    $ waynote undo
    undid the last change of agent:default#mine (it no longer exists); `waynote redo` brings it back

    $ waynote undo
    exit 1
    error: there is nothing to undo
      `waynote history ADDRESS` lists the revisions that are left, and `waynote restore` brings one back

    $ waynote key save mine three
    saved agent:default#mine (new, in every project)

    $ waynote --author ann key save mine four
    saved agent:default#mine (overwrote revision 3; `waynote undo agent:default#mine` brings it back)

    $ waynote undo
    exit 1
    error: the last change of agent:default#mine is by ann
      look at its history, then restore the revision that you want; that is `waynote history agent:default#mine`, then `waynote restore agent:default#mine@N`
    ");
}

#[test]
fn one_undo_takes_back_a_whole_move() {
    let scratch = Scratch::ticking();
    scratch.ok("place write --at ~/work/a One.");
    scratch.ok("key save --at ~/work/a build make");
    assert_transcript!(scratch, @"
    $ waynote place mv ~/work/a ~/b
    moved 2 notes from ~/work/a to ~/b; `waynote place mv ~/b ~/work/a` moves them back

    $ waynote undo
    undid the last change, of 4 notes; `waynote redo` brings it back
      place:~/b#build (it no longer exists)
      place:~/b (it no longer exists)
      place:~/work/a#build (now revision 3: make)
      place:~/work/a (now revision 3: One.)

    $ waynote redo
    redid the last change, of 4 notes
      place:~/work/a (it no longer exists)
      place:~/work/a#build (it no longer exists)
      place:~/b (now revision 3: One.)
      place:~/b#build (now revision 3: make)
    ");
    let undone = scratch.json("undo --json");
    assert_eq!(undone["notes"].as_array().unwrap().len(), 4);
}
