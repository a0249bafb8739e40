//! The prompts of a loop's iterations can be shown afterwards, byte for byte as their agents got them.

use super::common::{Scratch, assert_transcript, has};
use super::loop_stops::{ended, looping, summary};

#[test]
fn the_block_of_an_iteration_is_what_its_agent_got() {
    let scratch = Scratch::new();
    let elsewhere = scratch.home().join("projects/shop");
    std::fs::create_dir_all(&elsewhere).unwrap();
    scratch.put("only-notes", "notes:\n{{ notes }}");
    scratch.ok("--agent builder key save rule test_first --pin");
    scratch.ok("place write the_shop_sells_tea --at ~/projects/shop");
    scratch.ok("place write not_of_the_shop --at ~/work");
    let script = "cat > got-$WAYNOTE_ITERATION
        \"$WAYNOTE\" log add \"tip $WAYNOTE_ITERATION: $(seq 40 | tr '\\n' ' ')\" --type tip
        \"$WAYNOTE\" key save note-$WAYNOTE_ITERATION \"$(seq 40 | tr '\\n' ' ')\"";
    let run = |options: &str| {
        let options = format!("{options} --prompt ../../only-notes --json");
        let run = looping(&scratch, &options, script).env("WAYNOTE_AGENT", "builder");
        assert_eq!(summary(run.cwd(&elsewhere)).0, 0);
    };
    run("--iterations 2 --budget 150");
    run("--iterations 1 --style faithful");
    // Another place, another agent, another budget; and all of it is changed since.
    scratch.ok("place write the_shop_is_closed --at ~/projects/shop");
    scratch.ok("--agent builder key save rule no_tests_at_all");
    scratch.ok("--session s --iteration 1 log add the_first_was_wrong --type stuck");
    for iteration in 1..=3 {
        let got = std::fs::read_to_string(elsewhere.join(format!("got-{iteration}"))).unwrap();
        let got = got.strip_prefix("notes:\n").unwrap();
        has(got, "the_shop_sells_tea");
        let words = format!("--session s context --as-of iteration:{iteration}");
        assert_eq!(scratch.run(&words).said(), got);
        let json = scratch.json(&format!("{words} --json"));
        assert_eq!(json["is_same"], true);
    }
    scratch.ok("forget place:~/projects/shop --revision 1 --yes");
    let words = "--session s context --as-of iteration:2";
    has(
        scratch.run(words).said(),
        "warning: this is not the block that iteration 2 was given: its hash differs: ",
    );
}

#[test]
fn what_was_not_recorded_is_said() {
    let scratch = Scratch::new();
    assert_eq!(ended(&scratch, "--iterations 1", "true").0, 0);
    let said = |words: &str| scratch.run(&format!("--session s context {words}")).said();
    assert_transcript!(said, @"
    $ waynote --as-of iteration:2
    exit 1
    error: there is no iteration 2 of session:s
      see `waynote place list`, `key list` or `log list`

    $ waynote --as-of iteration:1 --budget 100
    exit 2
    error: the block of an iteration has the place, the style and the budget that it was given with
      leave out `--at`, `--style`, `--budget`, `--only` and `--query`
    ");
}
