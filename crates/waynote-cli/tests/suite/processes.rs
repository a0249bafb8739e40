//! Many processes at once, through the real binary.

use std::sync::atomic::{AtomicU64, Ordering};

use super::common::Scratch;

#[test]
fn eight_at_the_cap_never_exceed_it() {
    let scratch = Scratch::new();
    let refused = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for process in 0..8 {
            let (scratch, refused) = (&scratch, &refused);
            scope.spawn(move || {
                for number in 0..6 {
                    let key = format!("k-{process}-{number}");
                    let output = scratch
                        .waynote(["key", "save", &key, "v", "--max-notes", "20"])
                        .output();
                    if !output.status.success() {
                        let error = String::from_utf8_lossy(&output.stderr).into_owned();
                        assert!(
                            error.starts_with(
                                "error: the notebook is full: 20 notes, the limit is 20"
                            ),
                            "{error}"
                        );
                        refused.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    assert_eq!(scratch.ok("key count"), "20\n");
    assert_eq!(refused.into_inner(), 28);
    assert!(scratch.ok("verify").contains("is sound"));
}

#[test]
fn eight_that_make_the_store_make_one() {
    let scratch = Scratch::new();
    std::thread::scope(|scope| {
        for process in 0..8 {
            let scratch = &scratch;
            scope.spawn(move || {
                for number in 0..10 {
                    scratch.ok(&format!(
                        "--session s{process} log add --type tip n{number}"
                    ));
                    scratch.ok(&format!("place write --at ~/p{process}/{number} n"));
                    scratch.ok("context");
                }
            });
        }
    });
    assert_eq!(
        scratch.json("place list --json").as_array().unwrap().len(),
        80
    );
    let sessions = scratch.json("log sessions --json");
    assert!(
        sessions
            .as_array()
            .unwrap()
            .iter()
            .all(|session| session["notes"] == 10)
    );
}
