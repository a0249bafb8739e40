//! The feed: the changes of a store, as server-sent events.
//!
//! A feed reads its store page by page, each of a bounded number of items and bytes. It reads the next page only after
//! it has sent the last one: a slow reader costs one page of memory, and delays nobody else.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName};
use axum::http::{HeaderMap, Response};
use axum::response::IntoResponse;
use futures_util::stream;
use serde::Deserialize;
use tokio::sync::watch;
use utoipa::IntoParams;
use waynote::store::{Cursor, FeedEntry, Happened};
use waynote::{Allowance, Error, Limits, Version};

use super::cursor;
use crate::app::App;
use crate::edge::Query;
use crate::edge::shares::Share;
use crate::problem::{Answer, Problem};
use crate::sign_in;
use crate::visit::Visit;

/// The most items that are read at once.
const PAGE: usize = 64;

/// The most bytes of texts that are read at once, unless a single item has more.
const PAGE_BYTES: u64 = 1 << 20;

/// A token counts for so long after it was looked up.
const TOKEN_COUNTS: Duration = Duration::from_millis(250);

/// How long a client waits before it connects again, in milliseconds.
const RETRY: u32 = 1000;

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// Keeps proxies from collecting the stream.
const ACCEL: HeaderName = HeaderName::from_static("x-accel-buffering");

/// Where the feed begins.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChangesQuery {
    /// After the item with this id; `start`: at the very first. Without it, and without the header `Last-Event-ID`, the
    /// feed begins now.
    after: Option<String>,
}

/// What happens from now on, or after an item, in one order: changes of notes, events of sessions, and forgettings.
///
/// A stream of server-sent events: `note` (data: a feed entry with `changed`), `event` (with `event`) and `forgotten`
/// (with `forgotten`). The `id` of each is where a reader goes on after it has lost the connection, on any server of the
/// store; browsers send it by themselves. Comments are signs of life. The stream ends when the server stops, or when the
/// token does not count any more.
#[utoipa::path(
    get,
    path = "/changes",
    tag = "feed",
    params(
        ChangesQuery,
        ("Last-Event-ID" = Option<String>, Header, description = "The id of the last item that was read.")
    ),
    responses((
        status = 200,
        description = "The stream; the schema is that of each event's data",
        body = FeedEntry,
        content_type = "text/event-stream"
    ))
)]
pub(crate) async fn changes(
    mut visit: Visit,
    Query(query): Query<ChangesQuery>,
    headers: HeaderMap,
) -> Answer<Response<Body>> {
    let shelf = visit
        .app
        .shelves
        .get(&visit.name)
        .ok_or_else(Problem::no_such_store)?;
    // A feed is no running request: it has a limit of its own.
    visit.share = None;
    let share = visit.app.feeds.take(visit.key.clone());
    let share = share.ok_or_else(|| {
        Problem::too_many("this token reads as many feeds as it may")
            .hint("end one of them, or ask whoever runs the server for a token of your own")
    })?;
    // The feed subscribes before it reads anything, so that it misses nothing.
    let news = shelf.store.watched().news();
    let last = headers
        .get(&LAST_EVENT_ID)
        .map(|last| last.to_str().unwrap_or_default());
    let after = match last.or(query.after.as_deref()) {
        Some("start") => Cursor::START,
        Some(id) => cursor::read(FEED, id)?,
        None => {
            let version = visit.run(|store| store.version()).await?;
            head(&version)
        }
    };
    let feed = Feed {
        counted: Counted::new(visit.app.clone()),
        _share: share,
        token: sign_in::presented(&visit.app, &headers),
        may_read_until: Instant::now() + TOKEN_COUNTS,
        most: PAGE,
        visit,
        news,
        after,
        page: VecDeque::new(),
        is_behind: true,
        greeting: Some(format!("retry: {RETRY}\n\n")),
    };
    let stream = stream::unfold(feed, async |mut feed| {
        let piece = feed.next().await?;
        Some((Ok::<_, Infallible>(Bytes::from(piece)), feed))
    });
    let headers = [
        (CONTENT_TYPE, "text/event-stream"),
        (CACHE_CONTROL, "no-store"),
        (ACCEL, "no"),
    ];
    Ok((headers, Body::from_stream(stream)).into_response())
}

/// The letter of the feed's cursors.
const FEED: char = 'f';

fn head(version: &Version) -> Cursor {
    version.position.map_or(Cursor::START, Cursor::at)
}

/// A reader of a feed.
struct Feed {
    visit: Visit,
    _share: Share,
    token: Option<String>,
    /// When the token has to be looked up again.
    may_read_until: Instant,
    /// The items of the next page, so that it does not have too many bytes.
    most: usize,
    news: watch::Receiver<u64>,
    /// Everything up to here has been read.
    after: Cursor,
    /// Entries that have been read but not sent.
    page: VecDeque<FeedEntry>,
    /// True if there may be more entries to read.
    is_behind: bool,
    greeting: Option<String>,
    counted: Counted,
}

impl Feed {
    /// The next piece of the stream; none when it ends.
    async fn next(&mut self) -> Option<String> {
        if let Some(greeting) = self.greeting.take() {
            return Some(greeting);
        }
        loop {
            // A reader whose token no longer counts gets nothing more, not even what was read for it.
            if self.counted.app.stopper.is_stopped() || !self.may_read().await {
                return None;
            }
            if let Some(entry) = self.page.pop_front() {
                return Some(sent(&entry));
            }
            if self.is_behind {
                // Marked before the read, so that a change during the read counts as news.
                self.news.mark_unchanged();
                self.read().await?;
                continue;
            }
            let app = &self.counted.app;
            tokio::select! {
                () = app.stopper.stopped() => return None,
                news = self.news.changed() => news.ok()?,
                () = tokio::time::sleep(app.options.limits.heartbeat) => return Some(": still here\n\n".into()),
            }
            self.is_behind = true;
        }
    }

    /// Reads the next page: half as many items if these have too many bytes.
    async fn read(&mut self) -> Option<()> {
        let (after, most) = (self.after, self.most);
        let read = self.visit.run_narrowed(move |store| {
            let bytes = match most {
                1 => Limits::ANSWER_BYTES,
                _ => PAGE_BYTES,
            };
            let page = Allowance::of(bytes).during(|| store.feed_stretch(after, most));
            match page {
                Err(Error::TooMuchAsked { .. }) if most > 1 => Ok(None),
                page => page.map(Some),
            }
        });
        // If the store cannot be read, the stream ends: the client connects again, and gets the error as an answer.
        let Some(found) = read.await.ok()? else {
            self.most /= 2;
            return Some(());
        };
        self.most = (2 * most).min(PAGE);
        self.is_behind = !found.is_last;
        // The position moves past entries that this reader may not see, so that they are not read again.
        self.after = found.reached.unwrap_or(after);
        self.page = found.items.into();
        Some(())
    }

    async fn may_read(&mut self) -> bool {
        let now = Instant::now();
        if now < self.may_read_until {
            return true;
        }
        self.may_read_until = now + TOKEN_COUNTS;
        let now = sign_in::grant(&self.counted.app, &self.visit.name, self.token.clone());
        now.await.is_ok_and(|now| now == self.visit.grant)
    }
}

/// An item as it is sent.
fn sent(entry: &FeedEntry) -> String {
    let event = match &entry.happened {
        Happened::Changed(_) => "note",
        Happened::Event(_) => "event",
        Happened::Forgotten(_) => "forgotten",
        _ => "other",
    };
    let id = cursor::written(FEED, entry.at);
    // In one line: JSON has no line breaks of its own.
    let data = serde_json::to_string(entry);
    format!(
        "id: {id}\nevent: {event}\ndata: {}\n\n",
        data.unwrap_or_default()
    )
}

/// Counts a feed while it is read.
struct Counted {
    app: App,
}

impl Counted {
    fn new(app: App) -> Self {
        app.metrics.feeds.add(1);
        Self { app }
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.app.metrics.feeds.add(-1);
    }
}
