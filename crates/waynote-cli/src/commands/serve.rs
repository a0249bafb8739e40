//! `waynote serve`: stores over HTTP.

use std::collections::BTreeMap;
use std::io::stderr;
use std::sync::Arc;

use serde_json::json;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use waynote::{CustomError, Error, SideData as _, SqliteStore};
use waynote_loop::identity::known_dead;
use waynote_remote::Url;
use waynote_server::{
    Limits, Log, Options, Reloader, Server, StartError, Stopper, Stores, TlsFiles, Tokens,
};

use crate::args::ServeArgs;
use crate::database;
use crate::error::{Failure, Outcome, say};
use crate::invocation::Context;
use crate::opened;
use crate::remote::not_here;
use crate::settings::{self, Settings};

/// The name of a store that is given none.
const DEFAULT: &str = "default";

/// After how many pages a server moves the write-ahead log of a store into its database, while many write at once: 16
/// MB. The write that does it takes as long as several others. When nobody writes, the server does it after a while.
const LOG_PAGES: u32 = 4000;

pub(super) fn run(context: &mut Context<'_>, args: &ServeArgs) -> Outcome {
    // The store of the settings is served when nothing else is named.
    let mut stores = match args.stores.is_empty() && args.database.is_some() {
        true => Stores::default(),
        false => stores(context, &args.stores)?,
    };
    if args.shared {
        for (name, store) in stores.iter() {
            store.make_shared()?;
            if !Tokens::new(&**store).is_closed()? {
                let one = "all who write are one `person`";
                say(&format!("the store {name} has no tokens: {one}"));
            }
        }
    }
    let url = args.database.as_ref();
    let database = url.map(|url| database::served(&context.settings, url));
    let database = database.transpose()?;
    if let Some(database) = &database {
        stores = stores.with_database(Arc::clone(database));
    }
    let tls = args.tls_cert.clone().zip(args.tls_key.clone());
    let options = Options {
        listen: args.listen,
        tls: tls.map(|(cert, key)| TlsFiles { cert, key }),
        behind_proxy: args.behind_proxy,
        limits: Limits {
            rate: args.rate,
            burst: args.rate.saturating_mul(2),
            ..Limits::default()
        },
        ..Options::default()
    };
    let bound = server(context, &stores, options, Log::to(stderr()))?
        .bind()
        .map_err(not_started)?;
    heard(
        bound.stopper(),
        &[SIGINT, SIGTERM, SIGHUP],
        bound.reloader(),
    )?;
    let url = bound.url();
    let named: BTreeMap<&str, String> = stores
        .iter()
        .map(|(name, _)| (name, format!("{url}/s/{name}")))
        .collect();
    let label = database.as_ref().map(|database| database.label());
    let value = json!({ "url": url, "stores": named, "database": label });
    context.answer(&value, || {
        let mut lines = vec![format!("listening on {url}")];
        lines.extend(named.values().map(|url| format!("  {url}")));
        let of = |label: &String| format!("  {url}/s/NAME for each store of {label}");
        lines.extend(label.iter().map(of));
        lines.join("\n")
    })?;
    context.output.flush()?;
    bound.run().map_err(|error| Failure::Library(error.into()))
}

/// A server that knows the time, the limits of the settings, and which processes of this machine are dead.
pub(super) fn server(
    context: &Context<'_>,
    stores: &Stores,
    options: Options,
    log: Log,
) -> Outcome<Server> {
    // Asked once before anybody waits for it.
    crate::clock::now()?;
    let clock = Arc::new(|| crate::clock::now().unwrap_or_default());
    Ok(Server::new(stores, options, clock, log)
        .note_limits(context.settings.limits(None, None))
        .is_dead(Arc::new(known_dead)))
}

/// The stores that are named, or the one of the settings.
pub(super) fn stores(context: &Context<'_>, named: &[String]) -> Outcome<Stores> {
    let mut stores = Stores::default();
    for store in named {
        let (name, path) = match store.split_once('=') {
            Some((name, path)) if !name.contains('/') => (name, path),
            _ => (DEFAULT, &**store),
        };
        if stores.get(name).is_some() {
            let hint = "give each its own: `--store NAME=PATH`";
            let what = format!("two stores have the name `{name}`");
            return Err(Failure::usage(what, hint));
        }
        stores = with_served(stores, name, &context.settings, path)?;
    }
    if !named.is_empty() {
        return Ok(stores);
    }
    let settings = &context.settings;
    if let Some(url) = settings.database() {
        return with_database(stores, DEFAULT, settings, url);
    }
    let store = SqliteStore::open(settings.store_file()?, &options(settings))?;
    Ok(match &settings.notes_file.value {
        None => stores.with_file(DEFAULT, Arc::new(store)),
        Some(file) => stores.with(DEFAULT, Arc::new(opened::synced(store, file)?)),
    })
}

/// The error of a server that does not start. Where a store has no tokens, it names the command that makes one.
fn not_started(error: Error) -> Failure {
    let Some(missing @ StartError::NoTokens { behind_proxy, .. }) = error.downcast_ref() else {
        return error.into();
    };
    let make =
        "make one for each who may use it: `waynote --store STORE token create NAME --admin`";
    let hint = match behind_proxy {
        true => make.to_owned(),
        false => format!("{make}; or listen on 127.0.0.1"),
    };
    Failure::refused(missing.kind(), missing.to_string(), hint)
}

/// Adds a store in a file or in a database. That a database is away is the error of each call, until it is back.
fn with_served(stores: Stores, name: &str, settings: &Settings, named: &str) -> Outcome<Stores> {
    if Url::is_meant(named) {
        return Err(not_here(named));
    }
    let path = settings::store(named)?;
    if database::is_url(named) {
        return with_database(stores, name, settings, named);
    }
    if !path.exists() {
        let path = path.display();
        say(&format!("there is no store {path}: a new one is served"));
    }
    let store = SqliteStore::open(path, &options(settings))?;
    Ok(stores.with_file(name, Arc::new(store)))
}

/// How a server opens a store in a file.
fn options(settings: &Settings) -> waynote::Options {
    opened::options(settings).log_pages(LOG_PAGES)
}

/// Adds a store in a database. An address that names none would be the error of each call, and nothing mends it.
fn with_database(stores: Stores, name: &str, settings: &Settings, url: &str) -> Outcome<Stores> {
    database::named(settings, url)?;
    // Who writes is the holder of a token.
    let store = database::open(settings, url, None)?.held_by(None);
    Ok(stores.with(name, Arc::new(store)))
}

/// Stops the server at the first signal; a second one ends the process at once.
pub(super) fn stop_at_signals(stopper: Stopper) -> Outcome {
    heard(stopper, &[SIGINT, SIGTERM], None)
}

/// The same for a server that goes on after a SIGHUP, and reads its certificate again if it has one.
fn heard(stopper: Stopper, signals: &[i32], reloader: Option<Reloader>) -> Outcome {
    let failed = |error| Failure::file("the signals", "heard", error);
    let mut signals = Signals::new(signals).map_err(failed)?;
    let hear = move || {
        let mut is_second = false;
        for signal in signals.forever() {
            if signal == SIGHUP {
                if let Some(reloader) = &reloader {
                    reloader.reload();
                }
                continue;
            }
            if is_second {
                std::process::exit(128 + signal);
            }
            is_second = true;
            stopper.stop();
        }
    };
    std::thread::Builder::new()
        .name("waynote-signals".into())
        .spawn(hear)
        .map_err(failed)?;
    Ok(())
}
