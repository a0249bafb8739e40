//! Metrics for Prometheus, in its text format. They hold no names of notes or tokens, and of stores only for those who
//! may use them.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::fmt::{Display, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::http::Method;
use waynote::{Error, ErrorClass};

/// The upper ends of the ranges of latency, in seconds.
const BUCKETS: [f64; 12] = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0,
];

/// How long requests or calls took.
#[derive(Clone, Copy, Default)]
struct Times {
    count: u64,
    seconds: f64,
    /// The number of requests in each range, and in the last field above all ranges.
    ranges: [u64; BUCKETS.len() + 1],
}

/// The calls of one store.
#[derive(Clone, Default)]
struct Calls {
    times: Times,
    errors: BTreeMap<String, u64>,
    /// True if the last call could use the store, whatever its answer was.
    is_up: bool,
}

/// The counters.
#[derive(Default)]
pub(crate) struct Metrics {
    stores: Mutex<BTreeMap<String, Calls>>,
    requests: Mutex<BTreeMap<(String, String, u16), Times>>,
    pub(crate) connections: Gauge,
    pub(crate) working: Gauge,
    pub(crate) feeds: Gauge,
}

/// A number that grows, and may fall.
#[derive(Clone, Default)]
pub(crate) struct Gauge(Arc<AtomicU64>);

impl Gauge {
    fn now(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    pub(crate) fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts one more until the returned guard is dropped.
    pub(crate) fn one(&self) -> GaugeGuard {
        self.add();
        GaugeGuard(self.clone())
    }
}

/// The guard of one that is counted.
pub(crate) struct GaugeGuard(Gauge);

impl Drop for GaugeGuard {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Times {
    fn add(&mut self, took: Duration) {
        let seconds = took.as_secs_f64();
        let range = BUCKETS.iter().position(|end| seconds <= *end);
        self.count += 1;
        self.seconds += seconds;
        self.ranges[range.unwrap_or(BUCKETS.len())] += 1;
    }

    fn write(&self, text: &mut String, name: &str, labels: &str) {
        let (count, seconds) = (self.count, self.seconds);
        let mut below = 0;
        let mut bucket = |end: &dyn Display, count: u64| {
            let of = format!("{name}_bucket{{{labels},le=\"{end}\"}}");
            line(text, &format!("{of} {count}"));
        };
        for (end, count) in BUCKETS.iter().zip(self.ranges) {
            below += count;
            bucket(end, below);
        }
        bucket(&"+Inf", count);
        line(text, &format!("{name}_sum{{{labels}}} {seconds:.6}"));
        line(text, &format!("{name}_count{{{labels}}} {count}"));
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
        let mut requests = self.requests.lock();
        let of = (route.to_owned(), method.to_owned(), status);
        requests.entry(of).or_default().add(took);
    }

    /// Counts a call of a store, and its error.
    pub(crate) fn call(&self, store: &str, took: Duration, error: Option<&Error>) {
        let mut stores = self.stores.lock();
        let of = stores.entry(store.to_owned()).or_default();
        of.times.add(took);
        let class = error.map(Error::class);
        of.is_up = !matches!(
            class,
            Some(ErrorClass::Unreachable | ErrorClass::Damaged | ErrorClass::Busy)
        );
        if let Some(error) = error {
            *of.errors.entry(error.kind().to_owned()).or_default() += 1;
        }
    }

    /// Adds the calls of these stores.
    pub(crate) fn stores(&self, text: &mut String, named: &[String]) {
        let calls = self.stores.lock().clone();
        let calls = || calls.iter().filter(|(name, _)| named.contains(name));
        let up = "waynote_store_up";
        head(text, up, "gauge", "1 if the last call could use the store.");
        for (name, of) in calls() {
            let is_up = u8::from(of.is_up);
            line(text, &format!("{up}{{store=\"{name}\"}} {is_up}"));
        }
        let took = "waynote_store_call_duration_seconds";
        head(text, took, "histogram", "How long calls of the store took.");
        for (name, of) in calls() {
            of.times.write(text, took, &format!("store=\"{name}\""));
        }
        let errors = "waynote_store_errors_total";
        let help = "Errors of calls of the store, by kind.";
        head(text, errors, "counter", help);
        for (name, of) in calls() {
            for (kind, count) in &of.errors {
                let labels = format!("store=\"{name}\",kind=\"{kind}\"");
                line(text, &format!("{errors}{{{labels}}} {count}"));
            }
        }
    }

    /// The text that Prometheus reads.
    pub(crate) fn text(&self) -> String {
        let requests = self.requests.lock().clone();
        let mut text = String::new();
        let name = "waynote_http_request_duration_seconds";
        let help = "How long requests took until their answer began.";
        head(&mut text, name, "histogram", help);
        for ((route, method, status), of) in &requests {
            let labels = format!("route=\"{route}\",method=\"{method}\",status=\"{status}\"");
            of.write(&mut text, name, &labels);
        }
        for (name, help, value) in [
            (
                "waynote_http_connections",
                "Connections that are open.",
                self.connections.now(),
            ),
            (
                "waynote_store_calls_running",
                "Calls of stores that are running.",
                self.working.now(),
            ),
            (
                "waynote_feeds",
                "Change feeds that are being read.",
                self.feeds.now(),
            ),
        ] {
            one(&mut text, name, "gauge", help, value);
        }
        text
    }
}

/// Adds a figure without labels.
pub(crate) fn one(text: &mut String, name: &str, kind: &str, help: &str, value: impl Display) {
    head(text, name, kind, help);
    line(text, &format!("{name} {value}"));
}

fn head(text: &mut String, name: &str, kind: &str, help: &str) {
    line(text, &format!("# HELP {name} {help}"));
    line(text, &format!("# TYPE {name} {kind}"));
}

fn line(text: &mut String, line: &str) {
    let _ = writeln!(text, "{line}");
}
