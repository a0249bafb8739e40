//! What happens in a store is reported as it happens.

use std::sync::mpsc::channel;
use std::time::Duration;

use waynote::{Content, Forget, Notebook, SaveOptions, Store};
use waynote_remote::{End, News, Options, RemoteStore, is_away};

use super::support::{serve, stamp};

const LONG: Duration = Duration::from_secs(60);

#[test]
fn changes_and_forgettings_are_heard_of_until_the_server_stops() {
    let mut served = serve();
    let url = served.url();
    let (sender, heard) = channel();
    let listener = std::thread::spawn(move || {
        let store = RemoteStore::open(&url, Options::default()).unwrap();
        store.follow(LONG, |news| sender.send(news).is_ok())
    });
    assert_eq!(heard.recv().unwrap(), News::Connected);
    let notes = Notebook::of_agent(&*served.store, "builder".parse().unwrap());
    let (key, text) = (
        "deploy".parse().unwrap(),
        Content::text("run make ship").unwrap(),
    );
    notes
        .save(&key, text, SaveOptions::default(), &stamp())
        .unwrap();
    assert_eq!(heard.recv().unwrap(), News::Note);
    let address = "agent:builder#deploy".parse().unwrap();
    served
        .store
        .forget(&Forget::new(address), &stamp())
        .unwrap();
    // What is forgotten is deleted first.
    while heard.recv().unwrap() != News::Forgotten {}
    served.stop();
    assert_eq!(listener.join().unwrap().unwrap(), End::Lost);
}

#[test]
fn who_wants_to_hear_no_more_is_left_alone_and_a_server_that_is_away_is_an_error() {
    let mut served = serve();
    assert_eq!(
        served.remote().follow(LONG, |_| false).unwrap(),
        End::Unwanted
    );
    let store = served.remote();
    served.stop();
    assert!(is_away(&store.follow(LONG, |_| true).unwrap_err()));
}

#[test]
fn the_end_of_the_time_is_no_loss() {
    let served = serve();
    let short = Duration::from_millis(50);
    let mut heard = Vec::new();
    let end = served.remote().follow(short, |news| {
        heard.push(news);
        true
    });
    assert_eq!(
        (end.unwrap(), heard),
        (End::TimeOver, vec![News::Connected])
    );
}
