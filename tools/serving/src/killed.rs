//! Servers are killed under load, one over a file and two over one database: nothing is lost, doubled or out of order.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use waynote::store::FeedContent;
use waynote::{Options, SqliteStore, Store};
use waynote_test_postgres::{Cluster, Proxy, Setup, has_postgres, with_store};

use super::Form;
use super::client::Client;
use super::store::{API, SERVE};
use kit::at_once::lock;
use kit::random::Random;
use kit::served::Server;

/// The longest wait for progress.
const PATIENCE: Duration = Duration::from_secs(120);

/// The longest time between two looks at something that is waited for.
const LOOK: Duration = Duration::from_millis(5);

/// The progress of the clients, and the signal for them to end.
#[derive(Default)]
struct Work {
    is_over: AtomicBool,
    /// The texts that were acknowledged.
    texts: Mutex<BTreeSet<String>>,
    /// How often a request was sent again, because its connection ended before the answer.
    repeated: AtomicUsize,
}

impl Work {
    fn goes_on(&self) -> bool {
        !self.is_over.load(Ordering::SeqCst)
    }

    /// Sends a request until there is an answer. Returns how often it was sent again.
    fn sure(
        &self,
        address: SocketAddr,
        request: (&str, &str),
        headers: &str,
        body: &Value,
    ) -> Result<(u16, Value, usize)> {
        let body = match body {
            Value::Null => String::new(),
            body => body.to_string(),
        };
        let begin = Instant::now();
        for again in 0.. {
            let sent = Client::connect(address)
                .and_then(|mut client| client.send(request, headers, &body));
            if let Ok((status, body)) = sent {
                return Ok((
                    status,
                    serde_json::from_slice(&body).unwrap_or_default(),
                    again,
                ));
            }
            ensure!(begin.elapsed() < PATIENCE, "no answer to {request:?}");
            self.repeated.fetch_add(1, Ordering::SeqCst);
            std::thread::sleep(LOOK);
        }
        unreachable!("a range without an end")
    }

    /// Waits until that many more writes are acknowledged.
    fn more(&self, writes: usize) -> Result<()> {
        let until = lock(&self.texts).len() + writes;
        wait("the clients go on", || {
            ensure!(self.goes_on(), "a client has failed");
            Ok(lock(&self.texts).len() >= until)
        })
    }
}

fn wait(what: &str, mut is_so: impl FnMut() -> Result<bool>) -> Result<()> {
    let begin = Instant::now();
    while !is_so()? {
        ensure!(begin.elapsed() < PATIENCE, "never: {what}");
        std::thread::sleep(LOOK);
    }
    Ok(())
}

/// A client of the API: four reads for each write.
fn client(address: SocketAddr, client: usize, work: &Work) -> Result<()> {
    let notes = format!("{API}/notes/agent%3Aclient-{client}%23");
    let entries = format!("{API}/sessions/night-{client}/entries");
    let said = |number: usize| format!("client {client} wrote {number}");
    let mut number = 0;
    while work.goes_on() {
        let text = said(number);
        let put = format!("{notes}k{number}");
        let (request, body) = match number % 4 {
            0 | 2 => (
                ("PUT", put.as_str()),
                json!({ "content": text, "limits": { "max_notes": 0 } }),
            ),
            1 => (
                ("POST", entries.as_str()),
                json!({ "type": "stuck", "content": text }),
            ),
            _ => (
                ("POST", entries.as_str()),
                json!({ "type": "learning", "content": text, "resolves": said(number - 2) }),
            ),
        };
        let key = format!("Idempotency-Key: {client}-{number}\r\n");
        let (status, answer, again) = work.sure(address, request, &key, &body)?;
        // The first one that is sent may not say that it was carried out before.
        let is_made = status == 201 || (again > 0 && status == 200);
        ensure!(is_made, "{request:?} {body}: {status} {answer}");
        ensure!(lock(&work.texts).insert(text), "{body} was written before");
        for turn in 0..4 {
            // Every acknowledged write is there, on whichever server.
            let wrote = match turn {
                0 => number,
                turn => (number * 7 + turn) % (number + 1),
            };
            // Those of odd numbers are entries of the log.
            let wrote = wrote - wrote % 2;
            let path = format!("{notes}k{wrote}");
            let (_, read, _) = work.sure(address, ("GET", &path), "", &Value::Null)?;
            ensure!(read["content"] == said(wrote), "{path}: {read}");
        }
        number += 1;
    }
    Ok(())
}

/// The items that a reader of the feed has read.
#[derive(Default)]
struct FeedReading {
    items: Mutex<Vec<Value>>,
    /// How often its connection ended.
    ended: AtomicUsize,
}

/// Reads the feed from its start, and continues when a connection ends.
fn reader(address: SocketAddr, reading: &FeedReading, is_over: &AtomicBool) {
    let goes_on = || !is_over.load(Ordering::SeqCst);
    let mut last = "start".to_owned();
    while goes_on() {
        if let Ok(client) = Client::connect(address) {
            let after = last.clone();
            let _ = client.feed(&format!("{API}/changes"), &after, |id, data| {
                if let Ok(item) = serde_json::from_str(data) {
                    lock(&reading.items).push(item);
                    id.clone_into(&mut last);
                }
                goes_on()
            });
        }
        if goes_on() {
            reading.ended.fetch_add(1, Ordering::SeqCst);
            std::thread::sleep(LOOK);
        }
    }
}

/// One server over a file.
pub(super) fn file(program: &Path, form: &Form) -> Result<()> {
    let home = tempfile::tempdir_in(kit::registries::target())?;
    let mut server = Server::start(program, home.path(), &SERVE)?;
    let address = server.address;
    let store = SqliteStore::open(kit::served::store(home.path()), &Options::default())?;
    let mut random = Random::of(5, 0);
    let kills = form.kills;
    println!("a server over a file, killed {kills} times");
    under(address, form.writers, &store, |work| {
        for _ in 0..kills {
            work.more(form.writers)?;
            std::thread::sleep(Duration::from_millis(random.below(900) as u64));
            server.kill()?;
            server = Server::start_at(program, home.path(), address.port(), &SERVE)?;
        }
        work.more(form.writers)
    })
}

/// Two servers over one database, behind a balancer.
pub(super) fn database(program: &Path, form: &Form) -> Result<()> {
    if !has_postgres() {
        kit::unchecked::not_checked("two servers over one database", "there is no PostgreSQL");
        return Ok(());
    }
    let cluster = Cluster::start(&Setup::default());
    let url = with_store(&cluster.url(), "default");
    let created = waynote_postgres::Options::of_url(&url)?;
    waynote_postgres::stores::create(created.clone())?;
    let store = waynote_postgres::open(created)?;
    let target = kit::registries::target();
    let homes = [
        tempfile::tempdir_in(&target)?,
        tempfile::tempdir_in(&target)?,
    ];
    let named = format!("default={url}");
    let start = |number: usize| {
        let options = [SERVE[0], SERVE[1], "--store", &named];
        Server::start(program, homes[number].path(), &options)
    };
    let mut servers = [start(0)?, start(1)?];
    let balancer = Proxy::balancing(&servers.each_ref().map(|server| server.address.port()));
    let (clients, rounds) = (form.pair_clients, form.pair_rounds);
    println!("{clients} clients of two servers over one database, each killed {rounds} times");
    under(balancer.address(), clients, &store, |work| {
        let writes = clients * form.pair_writes;
        work.more(writes)?;
        for _ in 0..rounds {
            for (dies, server) in servers.iter_mut().enumerate() {
                server.kill()?;
                // The other one alone.
                work.more(writes)?;
                *server = start(dies)?;
                balancer.replace(dies, server.address.port());
                let before = balancer.connections()[dies];
                work.more(writes)?;
                ensure!(
                    balancer.connections()[dies] > before,
                    "no client went to the new server"
                );
            }
        }
        Ok(())
    })
}

/// Lets clients and readers of the feed work while servers are killed, then looks at what there is.
fn under<S: Store>(
    address: SocketAddr,
    clients: usize,
    store: &S,
    kills: impl FnOnce(&Work) -> Result<()>,
) -> Result<()> {
    let (work, readers_end) = (Work::default(), AtomicBool::new(false));
    let readings: Vec<FeedReading> = (0..clients.div_ceil(8) + 1)
        .map(|_| FeedReading::default())
        .collect();
    std::thread::scope(|scope| -> Result<()> {
        // The threads end when this does, however it ends.
        let _over = (EndSignal(&work.is_over), EndSignal(&readers_end));
        for reading in &readings {
            scope.spawn(|| reader(address, reading, &readers_end));
        }
        let working: Vec<_> = (0..clients)
            .map(|number| {
                let work = &work;
                scope.spawn(move || {
                    client(address, number, work)
                        .inspect_err(|_| work.is_over.store(true, Ordering::SeqCst))
                })
            })
            .collect();
        let outcome = kills(&work);
        work.is_over.store(true, Ordering::SeqCst);
        for client in working {
            client.join().ok().context("a client panicked")??;
        }
        outcome?;
        let head = store.version()?.position.context("an empty store")?;
        let head = head.to_string();
        wait("the feed gets to its end", || {
            Ok(readings.iter().all(|reading| {
                let items = lock(&reading.items);
                items.last().is_some_and(|item| item["at"] == head.as_str())
            }))
        })
    })?;
    let texts = lock(&work.texts).clone();
    check_store(store, &texts)?;
    let mut ended = 0;
    for reading in &readings {
        check_feed(&lock(&reading.items), &texts)?;
        ended += reading.ended.load(Ordering::SeqCst);
    }
    ensure!(ended > 0, "no reader lost its server");
    println!(
        "  {} acknowledged writes, all there once; {} requests sent again, the feed continued {ended} times, each item \
         read once, in order",
        texts.len(),
        work.repeated.load(Ordering::SeqCst),
    );
    Ok(())
}

/// Tells the threads that it is over.
struct EndSignal<'o>(&'o AtomicBool);

impl Drop for EndSignal<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Checks that each text is there once, and no other text.
fn check_texts<'t>(found: impl Iterator<Item = &'t str>, texts: &BTreeSet<String>) -> Result<()> {
    let mut found: Vec<&str> = found.collect();
    found.sort_unstable();
    ensure!(
        found.iter().eq(texts.iter()),
        "of {} acknowledged texts, {} are there: one is lost or there twice",
        texts.len(),
        found.len()
    );
    Ok(())
}

/// Nothing is lost or doubled, and positions have no gap.
fn check_store(store: &impl Store, texts: &BTreeSet<String>) -> Result<()> {
    let feed = store.feed(None, usize::MAX)?;
    let written = feed.iter().filter_map(|item| match &item.happened {
        FeedContent::Changed(revision) => Some(revision.note()?.content.shown().into_owned()),
        _ => None,
    });
    let written: Vec<String> = written.collect();
    check_texts(written.iter().map(String::as_str), texts)?;
    let mut numbered = feed.iter().zip(1_i64..);
    ensure!(
        numbered.all(|(item, number)| item.at.to_string() == number.to_string()),
        "the positions have a gap"
    );
    ensure!(store.verify()?.is_clean(), "the store is damaged");
    Ok(())
}

/// A reader has read every item once, in the order of the store.
fn check_feed(items: &[Value], texts: &BTreeSet<String>) -> Result<()> {
    for (item, number) in items.iter().zip(1_i64..) {
        ensure!(
            item["at"].as_str() == Some(number.to_string().as_str()),
            "{item} is number {number}"
        );
    }
    let read = items.iter();
    check_texts(
        read.filter_map(|item| item["changed"]["note"]["content"].as_str()),
        texts,
    )
}
