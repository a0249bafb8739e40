//! `waynote tend`: what is worth a look, and what is done about it.

use super::common::{Scratch, has, lacks};
use super::terminal::seen;

/// Half a year after the notes were written.
const LATER: &str = "2026-11-20T10:00:00Z";

/// Notes that were given and notes that were not, two that say nearly the same, and a pin.
fn scratch() -> Scratch {
    let scratch = Scratch::new();
    for words in [
        "key save build 'run make ship before every release of the program'",
        "key save ship 'before every release of the program run make ship\nthen tag it'",
        "key save given 'the linter is strict about imports'",
        "key save old 'the old deploy host is called tulip'",
        "key save rule 'amounts are whole cents everywhere' --pin",
    ] {
        scratch.ok(words);
    }
    let record = |at: u64, key: &str| {
        format!(
            "{{\"session\":\"s\",\"at\":{at},\"event\":\"SessionStart\",\"tokens\":9,\
             \"notes\":[{{\"address\":\"agent:default#{key}\",\"revision\":1,\"shown\":\"whole\"}}]}}\n"
        )
    };
    // On 1 January, and on 15 November.
    let told = record(1_767_225_600_000, "old") + &record(1_794_700_800_000, "given");
    scratch.put(".local/state/waynote/delivered/told s", told);
    scratch
}

fn tend(scratch: &Scratch, input: &str) -> String {
    let mut command = scratch.command("tend");
    seen(
        command.envs([("NO_COLOR", "1"), ("WAYNOTE_NOW", LATER)]),
        input,
    )
}

#[test]
fn notes_that_are_worth_a_look_are_listed() {
    let scratch = scratch();
    let mut command = scratch.command("tend");
    let listed = command.env("WAYNOTE_NOW", LATER).output().unwrap();
    insta::assert_snapshot!(String::from_utf8(listed.stdout).unwrap(), @"
    NOTE                 WHY                                          UPDATED               PREVIEW
    agent:default#ship   says nearly what agent:default#build says    2026-05-17T12:00:00Z  before every release of the program run make ship
    agent:default#rule   pinned, and given to no session for 90 days  2026-05-17T12:00:00Z  amounts are whole cents everywhere
    agent:default#build  given to no session for 90 days              2026-05-17T12:00:00Z  run make ship before every release of the program
    agent:default#old    given to no session for 90 days              2026-05-17T12:00:00Z  the old deploy host is called tulip
    ");
    // Nothing counts as forgotten before anybody could have been given it.
    lacks(scratch.ok("tend"), "90 days");
}

#[test]
fn each_is_merged_unpinned_confirmed_deleted_or_left() {
    let scratch = scratch();
    let screen = tend(&scratch, "x\nm\nu\nd\n");
    has(
        &screen,
        "1 of 4  agent:default#ship: says nearly what agent:default#build says",
    );
    has(
        &screen,
        "merged into agent:default#build; deleted agent:default#ship",
    );
    has(&screen, "unpinned agent:default#rule");
    has(
        &screen,
        "deleted agent:default#old; `waynote undo agent:default#old` brings it back",
    );
    lacks(&screen, "#given");
    has(scratch.ok("key show build"), "then tag it");
    scratch.ok("undo agent:default#old");
    let confirmed = tend(&scratch, "c\n");
    has(confirmed, "confirmed agent:default#old (revision 4)");
    lacks(tend(&scratch, "\n"), "#old");
}
