//! The last block, while the server is away.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::{Arc, Mutex};

use jiff::{SignedDuration, Timestamp};
use waynote::context::{Request, block_and_notes, render};
use waynote::{Forget, Store};
use waynote_remote::{Keep, Options, RemoteStore, Token};

use super::support::{Served, answer, now, serve, stamp, told, url};
use waynote_testing::values;

fn request() -> Request {
    Request::new(
        "builder".parse().unwrap(),
        "~/p".parse::<waynote::Place>().unwrap(),
        now(),
    )
}

fn save(served: &Served) {
    let deploy = "agent:builder#deploy".parse().unwrap();
    let change = values::save(deploy, "run make ship");
    served.store.apply(&[change], &stamp()).unwrap();
}

fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    entries.map(|entry| entry.unwrap().path()).collect()
}

/// A store that keeps its blocks in the folder, at a time that can be set.
fn keeping(url: &str, folder: &Path, token: Option<&str>) -> (RemoteStore, Arc<Mutex<Timestamp>>) {
    let time = Arc::new(Mutex::new(now()));
    let clock = Arc::clone(&time);
    let keep = Keep::new(folder, move || *clock.lock().unwrap());
    let options = Options {
        token: token.map_or_else(Token::default, Token::new),
        keep: Some(keep),
        ..Options::default()
    };
    (RemoteStore::open(url, options).unwrap(), time)
}

#[test]
fn the_last_block_is_there_for_a_day() {
    let mut served = serve();
    save(&served);
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("blocks");
    let (store, time) = keeping(&served.url(), &folder, None);
    let (block, notes) = block_and_notes(&store, &request()).unwrap();
    let kept = files(&folder);
    assert_eq!(kept.len(), 1);
    assert_eq!(
        kept[0].metadata().unwrap().permissions().mode() & 0o777,
        0o600
    );
    assert_eq!(
        folder.metadata().unwrap().permissions().mode() & 0o777,
        0o700
    );
    served.stop();

    *time.lock().unwrap() += SignedDuration::from_hours(23);
    let later = request().now(*time.lock().unwrap());
    let (away, same) = block_and_notes(&store, &later).unwrap();
    assert_eq!(same, notes);
    let line = away.text.strip_suffix(&block.text).unwrap();
    let start =
        "(These notes are of 2026-08-01 12:00 UTC and may be out of date: the store http://";
    assert!(
        line.starts_with(start) && line.ends_with(".)\n\n"),
        "{line}"
    );

    // Another request, another agent, another token: nothing.
    assert!(render(&store, &later).is_err());
    assert!(block_and_notes(&store, &later.clone().iteration(Some(3))).is_err());
    let (other, _) = keeping(&served.url(), &folder, Some("wn_other"));
    assert!(block_and_notes(&other, &later).is_err());

    *time.lock().unwrap() += SignedDuration::from_hours(2);
    assert!(block_and_notes(&store, &later).is_err());
    assert!(files(&folder).is_empty());
}

#[test]
fn nothing_is_kept_after_a_forgetting() {
    let mut served = serve();
    save(&served);
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = keeping(&served.url(), folder.path(), None);
    render(&store, &request()).unwrap();
    assert_eq!(files(folder.path()).len(), 1);
    let forget = Forget::new("agent:builder#deploy".parse().unwrap());
    store.would_forget(&forget, &stamp()).unwrap();
    assert_eq!(files(folder.path()).len(), 1);
    store.forget(&forget, &stamp()).unwrap();
    assert!(files(folder.path()).is_empty());
    served.stop();
    assert!(render(&store, &request()).is_err());
}

#[test]
fn a_refusal_is_not_a_server_that_is_away() {
    let kept = tempfile::tempdir().unwrap();
    let body = r#"{"block":{"block":{"text":"old\n","style":"stable","sections":[],"receipt":{"budget":0,"tokens":0,"counted":0,"headings":0,"last_line":0,"shown":0,"lines":0,"left_out":0,"claims":[]}},"version":{}}}"#;
    for (status, falls_back) in [
        ("401 Unauthorized", false),
        ("403 Forbidden", false),
        ("404 Not Found", false),
        ("503 Service Unavailable", true),
    ] {
        let refusal = answer(
            status,
            &["Content-Type: application/problem+json"],
            &format!(
                r#"{{"type":"t","title":"t","status":{},"detail":"no"}}"#,
                &status[..3]
            ),
        );
        let server = told(move |number, _| {
            Some(match number {
                0 => answer("200 OK", &["waynote-api: 1"], body),
                _ => refusal.clone(),
            })
        });
        let (store, _) = keeping(&url(server.address), kept.path(), Some("wn_x"));
        assert_eq!(render(&store, &request()).unwrap().text, "old\n");
        assert_eq!(render(&store, &request()).is_ok(), falls_back, "{status}");
    }
}

#[test]
fn a_file_that_others_could_write_is_not_read() {
    let mut served = serve();
    save(&served);
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = keeping(&served.url(), folder.path(), None);
    render(&store, &request()).unwrap();
    served.stop();
    assert!(render(&store, &request()).is_ok());
    let file = &files(folder.path())[0];
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o620)).unwrap();
    assert!(render(&store, &request()).is_err());
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o600)).unwrap();
    let elsewhere = folder.path().join("elsewhere");
    std::fs::rename(file, &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, file).unwrap();
    assert!(render(&store, &request()).is_err());
}
