//! Projects: a note belongs to the repository that it was saved in, in each of its checkouts, and in no other project.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::super::clients::Turn;
use super::super::home::{Bench, CANARY};
use super::super::model::Request;
use super::{asked, each_once, none_holds};
use crate::scenarios::conversations::at_once;

/// What each project's agent saves under the same key.
const OF_SHOP: &str = "canary-1201: cargo build --release";
const OF_API: &str = "canary-1202: pnpm build";
/// A note that is saved in a worktree which goes.
const OF_WORKTREE: &str = "canary-1203: refunds need the ledger";

/// Two projects save a fact under the same key. A second clone, a worktree and a renamed folder of the first have its
/// notes; the other project never has them.
pub(crate) fn each_has_its_own(bench: &Bench) -> Result<()> {
    let home = bench.home()?;
    let [shop, api, clone] = ["project", "api", "shop2"].map(|name| home.join(name));
    bench.git(&["remote", "add", "origin", "git@github.com:acme/shop.git"])?;
    bench.git(&["init", "--quiet", "../api"])?;
    bench.git(&[
        "-C",
        "../api",
        "remote",
        "add",
        "origin",
        "https://github.com/acme/api",
    ])?;
    saves(bench, &shop, "question-one", "build", OF_SHOP)?;
    saves(bench, &api, "question-two", "build", OF_API)?;

    bench.git(&["init", "--quiet", "../shop2"])?;
    let url = "https://github.com/Acme/shop.git";
    bench.git(&["-C", "../shop2", "remote", "add", "origin", url])?;
    let person = ["-c", "user.name=p", "-c", "user.email=p@example.com"];
    let begin = ["commit", "--quiet", "--allow-empty", "-m", "begin"];
    bench.git(&[&person[..], &begin].concat())?;
    bench.git(&["worktree", "add", "--quiet", "../feature"])?;
    saves(
        bench,
        &home.join("feature"),
        "question-three",
        "refunds",
        OF_WORKTREE,
    )?;
    bench.git(&["worktree", "remove", "--force", "../feature"])?;

    for (folder, prompt) in [(&shop, "question-four"), (&clone, "question-five")] {
        let requests = session(bench, folder, prompt)?;
        each_once(&requests, OF_SHOP, prompt)?;
        each_once(&requests, OF_WORKTREE, prompt)?;
        none_holds(&requests, OF_API, prompt)?;
    }
    let renamed = home.join("api-v2");
    std::fs::rename(&api, &renamed)?;
    let requests = session(bench, &renamed, "question-six")?;
    each_once(&requests, OF_API, "renamed")?;
    none_holds(&requests, OF_SHOP, "renamed")?;
    none_holds(&requests, OF_WORKTREE, "renamed")
}

/// An agent saves a fact on `.`: a person's note there stays, and the agent reads what it may do.
pub(crate) fn leaves_a_persons_note(bench: &Bench) -> Result<()> {
    let note = json!({ "place": ".", "content": OF_SHOP });
    bench.model.calls("note_save", note);
    let requests = bench.turn(Turn::New("question-one"))?;
    let after = requests.iter().find(|request| request.is_after_tool());
    let after = after.context("the tool did not run")?;
    ensure!(
        after.contains("if_revision"),
        "the reply names no way out: {:?}",
        after.parts.last().map(|part| &part.text)
    );
    let kept = bench.waynote(&["place", "read"])?;
    ensure!(kept.contains(CANARY), "the person's note is gone: {kept}");
    Ok(())
}

/// The repository shares a note. Its text stands in prompts once a person trusts the checkout, and an agent that saves
/// over it is refused; on a branch without the file it applies no longer.
pub(crate) fn reads_what_is_shared(bench: &Bench) -> Result<()> {
    let project = bench.project()?;
    let shared = project.join(".waynote");
    std::fs::create_dir_all(&shared)?;
    std::fs::write(shared.join("build.md"), format!("{OF_SHOP}\n"))?;
    let requests = session(bench, &project, "question-one")?;
    none_holds(&requests, OF_SHOP, "without trust")?;
    ensure!(
        requests.iter().any(|of| of.contains("1 shared note")),
        "the block has no line about the shared note: {}",
        bench.heard()
    );
    bench.waynote(&["config", "set", "trust", "~/*"])?;
    let note = json!({ "key": "build", "content": OF_API });
    bench.model.calls("note_save", note);
    let requests = session(bench, &project, "question-two")?;
    bench.model.answers();
    // The refusal holds it, too.
    each_once(&requests[..1], OF_SHOP, "with trust")?;
    let after = requests.iter().find(|request| request.is_after_tool());
    let after = after.context("the tool did not run")?;
    ensure!(
        after.contains("if_revision") && after.contains("(shared)"),
        "a save over a shared note is not refused: {}",
        bench.heard()
    );
    std::fs::remove_dir_all(&shared)?;
    let requests = session(bench, &project, "question-three")?;
    none_holds(&requests, OF_SHOP, "without the file")
}

/// A session in which the model saves a pinned note under a key.
pub(super) fn saves(
    bench: &Bench,
    folder: &Path,
    prompt: &'static str,
    key: &str,
    text: &str,
) -> Result<()> {
    let note: Value = json!({ "key": key, "content": text, "pin": true });
    bench.model.calls("note_save", note);
    let requests = session(bench, folder, prompt)?;
    let saved = requests
        .iter()
        .any(|request| request.contains("saved repo:"));
    bench.model.answers();
    ensure!(
        saved,
        "{prompt}: the note is not the repository's: {}",
        bench.heard()
    );
    Ok(())
}

/// The requests of a session in a folder.
pub(super) fn session(bench: &Bench, folder: &Path, prompt: &'static str) -> Result<Vec<Request>> {
    let words = bench.agent.words(Turn::New(prompt));
    at_once(bench, vec![(bench.agent, words, folder.to_owned())])?;
    let requests = bench.fresh();
    asked(&requests, prompt)?;
    Ok(requests)
}
