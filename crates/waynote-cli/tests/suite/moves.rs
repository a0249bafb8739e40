//! `waynote mv`, `waynote cp`, `waynote place mv`, and verbs of other programs.

use std::fs;

use super::common::{Scratch, assert_transcript};

#[test]
fn a_note_moves_and_comes_back() {
    let scratch = Scratch::new();
    scratch.ok("key save deploy 'make ship' --pin");
    scratch.ok("--session s --iteration 1 log add --type tip 'use the cache'");
    assert_transcript!(scratch, @"
    $ waynote mv deploy ship
    moved agent:default#deploy to agent:default#ship; `waynote mv agent:default#ship agent:default#deploy` moves it back

    $ waynote show ship
    make ship

    $ waynote show deploy
    exit 1
    error: there is no agent:default#deploy
      there are: ship

    $ waynote key list
    NOTE                UPDATED               PINNED  PREVIEW
    agent:default#ship  2026-05-17T12:00:00Z  pinned  make ship

    $ waynote mv ship ~/work
    moved agent:default#ship to place:~/work; `waynote mv place:~/work agent:default#ship` moves it back

    $ waynote mv . agent:other#deploy
    moved place:~/work to agent:other#deploy; `waynote mv agent:other#deploy place:~/work` moves it back

    $ waynote cp agent:other#deploy .#deploy
    copied agent:other#deploy to place:~/work#deploy

    $ waynote key save deploy new
    saved agent:default#deploy (new, in every project); the same key is at place:~/work#deploy

    $ waynote mv .#deploy deploy
    exit 1
    error: agent:default#deploy exists already; nothing was moved
      `waynote show agent:default#deploy` prints it; `--force` of `mv` and `cp` overwrites it

    $ waynote mv .#deploy deploy --force
    moved place:~/work#deploy to agent:default#deploy; it overwrote revision 3, which `waynote undo agent:default#deploy` brings back

    $ waynote undo deploy
    undid the last change of agent:default#deploy (now revision 5: new); `waynote redo deploy` brings it back

    $ waynote --session s cp #1 cache
    copied session:s#03g56gadhc9giz28czzxeif1v to agent:default#cache

    $ waynote mv nowhere somewhere
    exit 1
    error: no note here has the key `nowhere`
      there are: cache, deploy
    ");
}

#[test]
fn the_notes_of_a_directory_move_with_it() {
    let scratch = Scratch::new();
    fs::create_dir_all(scratch.home().join("shop/pay")).unwrap();
    scratch.ok("place write --at ~/shop Shop.");
    scratch.ok("place write --at ~/shop/pay Pay.");
    scratch.ok("key save --at ~/shop/pay build make");
    scratch.ok("place write --at ~/shopping Other.");
    fs::create_dir(scratch.home().join("shopping")).unwrap();
    fs::rename(scratch.home().join("shop"), scratch.home().join("store")).unwrap();
    assert_transcript!(scratch, @"
    $ waynote place mv ~/shop ~/store
    moved 3 notes from ~/shop to ~/store; `waynote place mv ~/store ~/shop` moves them back

    $ waynote place list
    NOTE                     UPDATED               PREVIEW
    place:~/shopping         2026-05-17T12:00:00Z  Other.
    place:~/store            2026-05-17T12:00:00Z  Shop.
    place:~/store/pay        2026-05-17T12:00:00Z  Pay.
    place:~/store/pay#build  2026-05-17T12:00:00Z  make

    $ waynote place mv ~/shop ~/store
    exit 1
    error: there are no notes on ~/shop or below it
      `waynote place list` shows the notes of directories
    ");
}

#[test]
fn a_note_on_a_file_is_gone_when_the_file_is() {
    let scratch = Scratch::new();
    let file = scratch.put("work/pay.ts", "let fee = 1;\n");
    scratch.ok("place write --at pay.ts 'Fees are in cents.'");
    let listed = || scratch.ok("place list");
    assert!(!listed().contains("(gone)"), "{}", listed());
    fs::remove_file(file).unwrap();
    assert!(listed().contains("(gone)"), "{}", listed());
}

#[test]
fn a_verb_of_another_program_is_answered_with_what_fits() {
    let scratch = Scratch::new();
    assert_transcript!(scratch, @r#"
    $ waynote rm build
    exit 2
    error: unrecognized subcommand 'rm'

      tip: `waynote key delete KEY` or `waynote place delete`; `undo` brings a note back. `waynote forget NOTE` removes its text for good

    $ waynote get build --json
    exit 2
    {"error":{"hint":"`waynote show NOTE`","kind":"usage","message":"unrecognized subcommand 'get'"}}

    $ waynote grep words
    exit 2
    error: unrecognized subcommand 'grep'

      tip: `waynote search WORDS`
    "#);
}
