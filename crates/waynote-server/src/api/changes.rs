//! The feed: the changes of a store, as server-sent events.
//!
//! A feed reads its store page by page, each of a bounded number of items and bytes. It reads the next page only after
//! it has sent the last one: a slow reader costs one page of memory, and delays nobody else.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName};
use axum::http::{HeaderMap, Response, StatusCode};
use axum::response::IntoResponse;
use futures_util::stream;
use serde::Deserialize;
use tokio::sync::watch;
use utoipa::IntoParams;
use waynote::store::{FeedContent, FeedEntry, Mark};
use waynote::{Allowance, Error, Limits, Position, Reader};

use super::cursor;
use crate::edge::Query;
use crate::metrics::GaugeGuard;
use crate::problem::{Answer, Problem, ProblemForm};
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
///
/// `reset` says that the store has another history now: it was restored, lost changes in a failover, or is another one.
/// The reader reads what it needs anew. The stream goes on with what happens from then on.
#[utoipa::path(
    get,
    path = "/changes",
    tag = "feed",
    params(
        ChangesQuery,
        ("Last-Event-ID" = Option<String>, Header, description = "The id of the last item that was read.")
    ),
    responses(
        (
            status = 200,
            description = "The stream; the schema is that of each event's data",
            body = FeedEntry,
            content_type = "text/event-stream"
        ),
        (
            status = 410,
            description = "`reset`: the item is of another history of the store. Read anew, then the feed without an id",
            body = ProblemForm,
            content_type = "application/problem+json"
        )
    )
)]
pub(crate) async fn changes(
    visit: Visit,
    Query(query): Query<ChangesQuery>,
    headers: HeaderMap,
) -> Answer<Response<Body>> {
    // The feed subscribes before it reads anything, so that it misses nothing.
    let news = visit.served_store.store.watched().news();
    let last = headers
        .get(&LAST_EVENT_ID)
        .map(|last| last.to_str().unwrap_or_default());
    let after = match last.or(query.after.as_deref()) {
        Some("start") => (Position::new(0), Mark::default()),
        Some(id) => {
            let id: String = cursor::read(FEED, id)?;
            let known = visit.run(move |store| known(&store, &id)).await?;
            known.ok_or_else(|| {
                let said = "the store has another history than when this item was read: it was restored, lost changes \
                            in a failover, or is another one";
                let hint = "read what you need anew, then the feed without an id";
                Problem::new(StatusCode::GONE, "reset", said).hint(hint)
            })?
        }
        None => visit.run(|store| now(&store)).await?,
    };
    let feed = Feed {
        _counted: visit.app.metrics.feeds.one(),
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

/// The point after everything that has happened.
fn now(store: &dyn Reader) -> waynote::Result<Point> {
    let version = store.version()?;
    let at = version.position.unwrap_or(Position::new(0));
    Ok((at, store.mark(at)?.1.unwrap_or_default()))
}

/// A point of the feed, with the mark of the item there.
type Point = (Position, Mark);

/// The id of the item at a point.
fn id((at, mark): Point) -> String {
    cursor::written(FEED, format!("{at}-{mark}"))
}

/// The point that an id stands for, if the store has the item there still.
fn known(store: &dyn Reader, id: &str) -> waynote::Result<Option<Point>> {
    let found = id
        .split_once('-')
        .and_then(|(at, mark)| Some((at.parse().ok()?, mark)));
    let Some((at, mark)) = found else {
        return Ok(None);
    };
    let (_, there) = store.mark(at)?;
    Ok(there
        .filter(|there| there.to_string() == mark)
        .map(|there| (at, there)))
}

/// A reader of a feed.
struct Feed {
    visit: Visit,
    token: Option<String>,
    /// When the token has to be looked up again.
    may_read_until: Instant,
    /// The items of the next page, so that it does not have too many bytes.
    most: usize,
    news: watch::Receiver<u64>,
    /// Everything up to here has been read.
    after: Point,
    /// Entries that have been read but not sent, with their marks.
    page: VecDeque<(Mark, FeedEntry)>,
    /// True if there may be more entries to read.
    is_behind: bool,
    greeting: Option<String>,
    _counted: GaugeGuard,
}

impl Feed {
    /// The next piece of the stream; none when it ends.
    async fn next(&mut self) -> Option<String> {
        if let Some(greeting) = self.greeting.take() {
            return Some(greeting);
        }
        loop {
            // A reader whose token no longer counts gets nothing more, not even what was read for it.
            if self.visit.app.stopper.is_stopped() || !self.may_read().await {
                return None;
            }
            if let Some((mark, entry)) = self.page.pop_front() {
                return Some(sent(mark, &entry));
            }
            if self.is_behind {
                // Marked before the read, so that a change during the read counts as news.
                self.news.mark_unchanged();
                if self.read().await? {
                    let id = id(self.after);
                    return Some(format!("id: {id}\nevent: reset\ndata: {{}}\n\n"));
                }
                continue;
            }
            let app = &self.visit.app;
            tokio::select! {
                () = app.stopper.stopped() => return None,
                news = self.news.changed() => news.ok()?,
                () = tokio::time::sleep(app.options.limits.heartbeat) => return Some(": still here\n\n".into()),
            }
            self.is_behind = true;
        }
    }

    /// Reads the next page: half as many items if these have too many bytes. True if the store has another history than
    /// before, so that the feed goes on at its end.
    async fn read(&mut self) -> Option<bool> {
        let (after, most) = (self.after, self.most);
        let read = self.visit.run(move |store| {
            let (store_id, mark) = store.mark(after.0)?;
            if mark != Some(after.1) {
                return now(&store).map(Read::Reset);
            }
            let bytes = match most {
                1 => Limits::ANSWER_BYTES,
                _ => PAGE_BYTES,
            };
            let page = Allowance::of(bytes).during(|| store.feed(Some(after.0), most));
            let page = match page {
                Err(Error::TooMuchAsked { .. }) if most > 1 => return Ok(Read::TooMuch),
                page => page?,
            };
            let items = page.into_iter();
            let items = items.map(|entry| (Mark::of(store_id, &entry), entry));
            Ok(Read::Page(items.collect()))
        });
        // If the store cannot be read, the stream ends: the client connects again, and gets the error as an answer.
        match read.await.ok()? {
            Read::TooMuch => self.most /= 2,
            Read::Reset(now) => {
                self.after = now;
                return Some(true);
            }
            Read::Page(items) => {
                self.most = (2 * most).min(PAGE);
                self.is_behind = items.len() == most;
                if let Some((mark, last)) = items.back() {
                    self.after = (last.at, *mark);
                }
                self.page = items;
            }
        }
        Some(false)
    }

    async fn may_read(&mut self) -> bool {
        let now = Instant::now();
        if now < self.may_read_until {
            return true;
        }
        self.may_read_until = now + TOKEN_COUNTS;
        let now = sign_in::grant(
            &self.visit.app,
            &self.visit.name,
            &self.visit.served_store,
            self.token.clone(),
        );
        now.await.is_ok_and(|now| now == self.visit.grant)
    }
}

/// The outcome of reading a page.
enum Read {
    /// Its items.
    Page(VecDeque<(Mark, FeedEntry)>),
    /// Its items have more bytes than a page may have.
    TooMuch,
    /// The store has another history; the feed goes on here.
    Reset(Point),
}

/// An item as it is sent.
fn sent(mark: Mark, entry: &FeedEntry) -> String {
    let event = match &entry.happened {
        FeedContent::Changed(_) => "note",
        FeedContent::Event(_) => "event",
        FeedContent::Forgotten(_) => "forgotten",
        _ => "other",
    };
    let id = id((entry.at, mark));
    // In one line: JSON has no line breaks of its own.
    let data = serde_json::to_string(entry);
    format!(
        "id: {id}\nevent: {event}\ndata: {}\n\n",
        data.unwrap_or_default()
    )
}
