//! Metrics for Prometheus, in its text format. They hold no names of stores, notes or tokens.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::fmt::{Display, Write};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use axum::http::Method;
use jiff::Timestamp;

/// The upper ends of the ranges of latency, in seconds.
const BUCKETS: [f64; 12] = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0,
];

/// The requests of one route with one status.
#[derive(Clone, Copy, Default)]
struct Requests {
    count: u64,
    seconds: f64,
    /// The number of requests in each range, and in the last field above all ranges.
    ranges: [u64; BUCKETS.len() + 1],
}

/// The counters.
#[derive(Default)]
pub(crate) struct Metrics {
    requests: Mutex<BTreeMap<(String, String, u16), Requests>>,
    pub(crate) running: Gauge,
    pub(crate) connections: Gauge,
    pub(crate) refused_connections: Counter,
    pub(crate) ended_connections: Counter,
    pub(crate) working: Gauge,
    pub(crate) feeds: Gauge,
}

/// A number that only grows.
#[derive(Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    pub(crate) fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// A number that grows and falls.
#[derive(Default)]
pub(crate) struct Gauge(AtomicI64);

impl Gauge {
    fn now(&self) -> u64 {
        self.0.load(Ordering::Relaxed).max(0).unsigned_abs()
    }

    /// Counts one more until the returned guard is dropped.
    pub(crate) fn one(&self) -> One<'_> {
        self.add(1);
        One(self)
    }

    pub(crate) fn add(&self, more: i64) {
        self.0.fetch_add(more, Ordering::Relaxed);
    }
}

/// The guard of one that is counted.
pub(crate) struct One<'g>(&'g Gauge);

impl Drop for One<'_> {
    fn drop(&mut self) {
        self.0.add(-1);
    }
}

impl Metrics {
    /// Counts a request.
    pub(crate) fn request(&self, method: &Method, route: &str, status: u16, took: Duration) {
        // A client can make up any number of methods, so unknown ones share one name.
        let method = match method.as_str() {
            known @ ("GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS") => known,
            _ => "other",
        };
        let seconds = took.as_secs_f64();
        let range = BUCKETS.iter().position(|end| seconds <= *end);
        let mut requests = self.requests.lock();
        let of = (route.to_owned(), method.to_owned(), status);
        let of = requests.entry(of).or_default();
        of.count += 1;
        of.seconds += seconds;
        of.ranges[range.unwrap_or(BUCKETS.len())] += 1;
    }

    /// The text that Prometheus reads.
    pub(crate) fn text(&self, certificate_expires: Option<Timestamp>) -> String {
        let requests = self.requests.lock().clone();
        let mut text = String::new();
        let name = "waynote_http_request_duration_seconds";
        let help = "How long requests took until their answer began.";
        head(&mut text, name, "histogram", help);
        for ((route, method, status), of) in &requests {
            let labels = format!("route=\"{route}\",method=\"{method}\",status=\"{status}\"");
            let (count, seconds) = (of.count, of.seconds);
            let mut below = 0;
            let mut bucket = |end: &dyn Display, count: u64| {
                let of = format!("{name}_bucket{{{labels},le=\"{end}\"}}");
                line(&mut text, &format!("{of} {count}"));
            };
            for (end, count) in BUCKETS.iter().zip(of.ranges) {
                below += count;
                bucket(end, below);
            }
            bucket(&"+Inf", count);
            line(&mut text, &format!("{name}_sum{{{labels}}} {seconds:.6}"));
            line(&mut text, &format!("{name}_count{{{labels}}} {count}"));
        }
        for (name, kind, help, value) in [
            (
                "waynote_http_requests_running",
                "gauge",
                "Requests whose answer has not begun, this one among them.",
                self.running.now(),
            ),
            (
                "waynote_http_connections",
                "gauge",
                "Connections that are open.",
                self.connections.now(),
            ),
            (
                "waynote_http_connections_refused_total",
                "counter",
                "Connections that were closed at once because there were too many.",
                self.refused_connections.0.load(Ordering::Relaxed),
            ),
            (
                "waynote_http_connections_ended_total",
                "counter",
                "Idle connections that were closed to make room for others.",
                self.ended_connections.0.load(Ordering::Relaxed),
            ),
            (
                "waynote_store_calls_running",
                "gauge",
                "Calls of stores that are running.",
                self.working.now(),
            ),
            (
                "waynote_feeds",
                "gauge",
                "Change feeds that are being read.",
                self.feeds.now(),
            ),
        ] {
            head(&mut text, name, kind, help);
            line(&mut text, &format!("{name} {value}"));
        }
        if let Some(expires) = certificate_expires {
            let name = "waynote_certificate_expires_timestamp_seconds";
            head(&mut text, name, "gauge", "When the certificate expires.");
            line(&mut text, &format!("{name} {}", expires.as_second()));
        }
        text
    }
}

fn head(text: &mut String, name: &str, kind: &str, help: &str) {
    line(text, &format!("# HELP {name} {help}"));
    line(text, &format!("# TYPE {name} {kind}"));
}

fn line(text: &mut String, line: &str) {
    let _ = writeln!(text, "{line}");
}
