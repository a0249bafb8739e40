//! Metrics for Prometheus, in its text format. They hold no names of notes or tokens, and of stores only for those who
//! may use them.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use waynote::{Error, ErrorClass};

/// The calls of one store.
#[derive(Clone, Default)]
struct Calls {
    count: u64,
    seconds: f64,
    errors: BTreeMap<String, u64>,
    /// True if the last call could use the store, whatever its answer was.
    is_up: bool,
}

/// The counters.
#[derive(Default)]
pub(crate) struct Metrics {
    stores: Mutex<BTreeMap<String, Calls>>,
    /// How many requests each route got with each status, and how long they took.
    requests: Mutex<BTreeMap<(String, u16), (u64, f64)>>,
    pub(crate) connections: Gauge,
    pub(crate) working: Gauge,
    pub(crate) feeds: Gauge,
}

/// A number that grows, and may fall.
#[derive(Clone, Default)]
pub(crate) struct Gauge(Arc<AtomicU64>);

impl Gauge {
    /// Counts one more until the returned guard is dropped.
    pub(crate) fn one(&self) -> GaugeGuard {
        self.0.fetch_add(1, Ordering::Relaxed);
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

impl Metrics {
    /// Counts a request.
    pub(crate) fn request(&self, route: &str, status: u16, took: Duration) {
        let mut requests = self.requests.lock();
        let (count, seconds) = requests.entry((route.to_owned(), status)).or_default();
        *count += 1;
        *seconds += took.as_secs_f64();
    }

    /// Counts a call of a store, and its error.
    pub(crate) fn call(&self, store: &str, took: Duration, error: Option<&Error>) {
        let mut stores = self.stores.lock();
        let of = stores.entry(store.to_owned()).or_default();
        of.count += 1;
        of.seconds += took.as_secs_f64();
        let class = error.map(Error::class);
        of.is_up = !matches!(
            class,
            Some(ErrorClass::Unreachable | ErrorClass::Damaged | ErrorClass::Busy)
        );
        if let Some(error) = error {
            *of.errors.entry(error.kind().to_owned()).or_default() += 1;
        }
    }

    /// The text that Prometheus reads, with the calls of these stores.
    pub(crate) fn text(&self, named: &[String]) -> String {
        let (mut requests, mut request_seconds) = (Vec::new(), Vec::new());
        for ((route, status), (count, seconds)) in self.requests.lock().iter() {
            let labels = format!("{{route=\"{route}\",status=\"{status}\"}}");
            requests.push(format!("{labels} {count}"));
            request_seconds.push(format!("{labels} {seconds:.6}"));
        }
        let (mut up, mut calls, mut call_seconds) = (Vec::new(), Vec::new(), Vec::new());
        let mut errors = Vec::new();
        let stores = self.stores.lock();
        for (name, of) in stores.iter().filter(|(name, _)| named.contains(name)) {
            let store = format!("store=\"{name}\"");
            up.push(format!("{{{store}}} {}", u8::from(of.is_up)));
            calls.push(format!("{{{store}}} {}", of.count));
            call_seconds.push(format!("{{{store}}} {:.6}", of.seconds));
            let of_kind = |(kind, count)| format!("{{{store},kind=\"{kind}\"}} {count}");
            errors.extend(of.errors.iter().map(of_kind));
        }
        let gauge = |gauge: &Gauge| vec![format!(" {}", gauge.0.load(Ordering::Relaxed))];
        let mut text = String::new();
        for (name, kind, lines) in [
            ("http_requests_total", "counter", requests),
            ("http_request_seconds_total", "counter", request_seconds),
            ("http_connections", "gauge", gauge(&self.connections)),
            ("feeds", "gauge", gauge(&self.feeds)),
            ("store_calls_running", "gauge", gauge(&self.working)),
            // 1 if the last call could use the store.
            ("store_up", "gauge", up),
            ("store_calls_total", "counter", calls),
            ("store_call_seconds_total", "counter", call_seconds),
            ("store_errors_total", "counter", errors),
        ] {
            let _ = writeln!(text, "# TYPE waynote_{name} {kind}");
            for line in lines {
                let _ = writeln!(text, "waynote_{name}{line}");
            }
        }
        text
    }
}
