//! One night, played from the docs alone: setup, a loop of forty iterations, trouble, a question, the end, and the
//! report in the morning.

use super::common::{Run, Scratch, git, has};
use super::loop_stops::seconds_gone;

/// A client that works, fails twice, asks once and completes. It counts its own starts.
const CLIENT: &str = r#"#!/bin/sh
cat > "$HOME/prompt"
start=$(($(cat "$HOME/starts" 2> /dev/null || echo 0) + 1))
echo $start > "$HOME/starts"
case $start in
1)  echo 'cart: done' > cart.txt
    git add cart.txt && git -c user.name=a -c user.email=a@example.org commit -qm cart
    "$WAYNOTE" log add 'The tests need --offline' --type learning ;;
2|3)
    echo 'API Error: 529 overloaded_error' >&2
    exit 1 ;;
4)  grep -q 'The tests need --offline' "$HOME/prompt" || exit 9
    echo 'import: half done' > import.txt
    "$WAYNOTE" log add 'The orders API refuses more than 100 requests a minute' --type stuck ;;
5)  "$WAYNOTE" log blocked 'Prices in cents or in euros?' ;;
6)  grep -q '^In cents, always.$' "$HOME/prompt" || exit 9
    echo 'import: done' > import.txt
    "$WAYNOTE" log add 'Sleep a minute between batches of 100' --type learning --resolves 'orders API' ;;
*)  sed -i 's/\[ \]/[x]/' TODO.md
    "$WAYNOTE" log complete 'Cart and import work; prices are in cents' ;;
esac
"#;

/// The commands of a document that begin with these words, without their descriptions.
fn documented(text: &str, begins: &str) -> Vec<String> {
    let commands = text.lines().filter(|line| line.starts_with(begins));
    let commands = commands.map(|line| line.split(" # ").next().unwrap_or(line));
    commands.map(|line| line.trim().to_owned()).collect()
}

#[test]
fn one_night() {
    let docs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/loops.md");
    let docs = std::fs::read_to_string(docs).unwrap();
    let scratch = Scratch::new();
    let bin = scratch.home().join("bin");
    scratch.script("bin/claude", CLIENT);
    scratch.put("work/SPEC.md", "A shop with a cart and an import.\n");
    let tasks = scratch.put("work/TODO.md", "- [ ] cart\n- [ ] import\n");
    git(&scratch.home().join("work"), "init -q");
    let run = |command: &str| -> Run {
        let words = command.split_whitespace().skip(1);
        let words = words.map(|word| match word {
            "ANSWER" => "In cents, always.",
            word => word,
        });
        let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
        scratch.waynote(words).env("PATH", path)
    };

    let [install] = &documented(&docs, "waynote install claude-code")[..] else {
        panic!("docs/loops.md says once how to set a client up");
    };
    run(install).ok();
    let [night] = &documented(&docs, "waynote loop --session nightly --spec")[..] else {
        panic!("docs/loops.md says once how to start a night");
    };
    assert!(night.contains("--iterations 40 "), "{night}");
    // The one thing that a test has no time for.
    let night = night.replacen(" --with", " --retry-wait 0s --with", 1);
    let output = run(&night).output();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(4), "{said}");
    has(
        &said,
        "iteration 2: failed (exit code 1); attempt 3 of 9 in 0.0s\n",
    );
    let asked = scratch.ok("log sessions");
    has(&asked, "`Prices in cents or in euros?`");
    assert!(docs.contains("`--answer TEXT` at the loop's own command"));
    let answered = night.replacen(" --with", " --answer ANSWER --with", 1);
    let output = run(&answered).output();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{said}");
    has(&said, "continuing: 3 of 40 iterations are done\n");
    has(said, "\n  | Cart and import work; prices are in cents\n");
    let tasks = std::fs::read_to_string(tasks).unwrap();
    assert_eq!(tasks, "- [x] cart\n- [x] import\n");

    let [show] = &documented(&docs, "waynote --session nightly log show")[..] else {
        panic!("docs/loops.md says once how to look at a session");
    };
    let shown = seconds_gone(&run(show).ok());
    let iterations: Vec<&str> = shown.lines().filter(|line| line.starts_with('#')).collect();
    insta::assert_snapshot!(iterations.join("\n"), @"
    #1         2026-05-17 12:00  N.Ns  done              1
    #2         2026-05-17 12:00  N.Ns  done, 3 attempts  1
    #3         2026-05-17 12:00  N.Ns  blocked           0
    #4         2026-05-17 12:00  N.Ns  done              1
    #5         2026-05-17 12:00  N.Ns  done              0
    #2 at first failed with: API Error: 529 overloaded_error
    ");
    has(
        &shown,
        "#2] The orders API refuses more than 100 requests a minute (resolved)",
    );
    assert!(shown.contains("Answered: In cents, always."), "{shown}");
}
