//! One request and its answer, within its time.

use std::io;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde::Serialize;
use serde::de::DeserializeOwned;
use ureq::http::request::Builder;
use ureq::http::{HeaderMap, Request, Response};
use ureq::tls::TlsConfig;
use ureq::{Agent, AsSendBody, Body};
use waynote::wire::{HOLDER_HEADER, PROBLEM, SHARED_HEADER, VERSION, VERSION_HEADER};
use waynote::{Error, Limits, Name, Result};

use crate::error::{Away, RemoteError};
use crate::options::{Options, Times};
use crate::problem::Problem;
use crate::token::Token;
use crate::trust::{Distrust, roots};
use crate::url::Url;

/// The longest answer, in bytes: servers send none that is longer.
const LONGEST: u64 = Limits::ANSWER_BYTES;

/// How much of a request or an answer is held at once: a hook sends one small request, and clears what it holds.
const BUFFER: usize = 16 << 10;

/// The longest error, in bytes.
const LONGEST_PROBLEM: u64 = 16 << 20;

/// The routes of read-only requests that have a body.
const QUESTIONS: [&str; 5] = ["as-of", "context", "read", "search", "silence"];

/// The pauses before a call is sent again: the first, and the longest. Each is twice as long as the one before.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// A way to a store.
pub(crate) struct Exchange {
    pub(crate) url: Url,
    pub(crate) token: Token,
    agent: Agent,
    times: Times,
    /// The author that the server records in place of `person`, and whether the store is one of several people, as its last
    /// answer said; none: it has not answered yet.
    pub(crate) holder: Mutex<Option<(Option<Name>, bool)>>,
    /// When the time for all calls is over.
    until: Option<Instant>,
}

/// A request; one without a body of JSON only asks.
#[derive(Clone, Copy)]
struct Call<'c> {
    route: &'c str,
    body: Option<&'c [u8]>,
}

impl Call<'_> {
    /// True if it changes the store.
    fn is_write(&self) -> bool {
        self.body.is_some() && !QUESTIONS.contains(&self.route)
    }
}

/// Why there is no answer.
enum Failed {
    /// The server is away; true if the request may be sent again.
    Away(Away, bool),
    /// The token is not taken.
    Unauthorized,
    /// Anything else.
    For(Error),
}

impl Exchange {
    pub(crate) fn new(url: &str, options: &Options) -> Result<Self> {
        let url = Url::read(url)?;
        let tls = TlsConfig::builder().root_certs(roots(&options.authorities));
        let config = Agent::config_builder()
            .http_status_as_error(false)
            // A token is sent only to the address that it was given for.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .proxy(None)
            .user_agent(concat!("waynote/", env!("CARGO_PKG_VERSION")))
            .tls_config(tls.build())
            .input_buffer_size(BUFFER)
            .output_buffer_size(BUFFER)
            .build();
        Ok(Self {
            url,
            token: options.token.clone(),
            agent: config.new_agent(),
            times: options.times,
            holder: Mutex::default(),
            until: options.times.all.map(|all| Instant::now() + all),
        })
    }

    /// Sends a request, and reads the answer. While the server is away, the request is sent again: it changes nothing, or
    /// has an operation id by which the server recognizes it.
    pub(crate) fn post<A: DeserializeOwned>(
        &self,
        route: &str,
        body: &impl Serialize,
    ) -> Result<A> {
        self.read(&self.posted(route, body)?)
    }

    /// The same for an answer without a body.
    pub(crate) fn tell(&self, route: &str, body: &impl Serialize) -> Result<()> {
        self.posted(route, body).map(|_| ())
    }

    fn posted(&self, route: &str, body: &impl Serialize) -> Result<Vec<u8>> {
        let body = serde_json::to_vec(body).map_err(|error| self.not_a_server(&error))?;
        self.send(Call {
            route,
            body: Some(&body),
        })
    }

    /// Asks without a body.
    pub(crate) fn get<A: DeserializeOwned>(&self, route: &str) -> Result<A> {
        self.read(&self.send(Call { route, body: None })?)
    }

    /// Sends a message of MCP to a path below the store's address, and returns the answer.
    pub(crate) fn message(&self, below: &str, protocol: &str, message: &[u8]) -> Result<Vec<u8>> {
        let request = Request::post(format!("{}{below}", self.url.as_str()))
            .header("accept", "application/json, text/event-stream")
            .header("mcp-protocol-version", protocol);
        let whole = self.times.call;
        let answer = self.sent(request, message, whole, whole);
        let answer = answer.and_then(|response| self.body(response, whole));
        answer.map_err(|failed| self.unanswered(failed))
    }

    /// Sends a request with the token, within the time that is `left` of the `whole`.
    fn sent(
        &self,
        request: Builder,
        body: impl AsSendBody,
        left: Duration,
        whole: Duration,
    ) -> Result<Response<Body>, Failed> {
        let token = self.token.get().map_err(|reason| {
            let url = self.url.to_string();
            Failed::For(RemoteError::NoToken { url, reason }.into())
        })?;
        let request = match token {
            Some(token) => request.header("authorization", format!("Bearer {token}")),
            None => request,
        };
        let request = request
            .header("content-type", "application/json")
            .body(body);
        let request = request.map_err(|error| self.failed(error.into(), whole))?;
        let request = self
            .agent
            .configure_request(request)
            .timeout_global(Some(left))
            .timeout_connect(Some(self.times.connect.min(left)))
            .build();
        let response = self.agent.run(request);
        response.map_err(|error| self.failed(error, whole))
    }

    /// The error of a question that has no answer.
    fn unanswered(&self, failed: Failed) -> Error {
        match failed {
            Failed::For(error) => error,
            Failed::Away(away, _) => self.away(away, false),
            Failed::Unauthorized => RemoteError::Unauthorized {
                url: self.url.to_string(),
                had_token: matches!(self.token.get(), Ok(Some(_))),
            }
            .into(),
        }
    }

    fn read<A: DeserializeOwned>(&self, answer: &[u8]) -> Result<A> {
        serde_json::from_slice(answer).map_err(|error| self.not_a_server(&error))
    }

    /// The error for an answer that cannot be read.
    pub(crate) fn not_a_server(&self, reason: &impl ToString) -> Error {
        RemoteError::NotAServer {
            url: self.url.to_string(),
            reason: reason.to_string(),
        }
        .into()
    }

    fn away(&self, away: Away, sent_write: bool) -> Error {
        RemoteError::Away {
            url: self.url.to_string(),
            away,
            sent_write,
        }
        .into()
    }

    fn send(&self, call: Call<'_>) -> Result<Vec<u8>> {
        let mut begun = Instant::now();
        let until = begun + self.times.wait;
        let mut pause = FIRST_PAUSE;
        let (mut renewed, mut was_sent) = (false, false);
        loop {
            let (away, again) = match self.once(call, begun) {
                Ok(answer) => return Ok(answer),
                Err(Failed::Away(away, again)) => (away, again),
                Err(Failed::Unauthorized) if !renewed && self.token.renew() => {
                    renewed = true;
                    continue;
                }
                Err(failed) => return Err(self.unanswered(failed)),
            };
            was_sent |= !matches!(away, Away::Unreachable(_));
            let Some(left) = self.left_until(until).filter(|_| again) else {
                return Err(self.away(away, was_sent && call.is_write()));
            };
            std::thread::sleep(pause.min(left));
            pause = (2 * pause).min(LONGEST_PAUSE);
            // The time of a call is that of its last attempt.
            begun = Instant::now();
        }
    }

    /// The time that is left until then, and of the time for all calls; none if there is none.
    fn left_until(&self, until: Instant) -> Option<Duration> {
        let until = self.until.map_or(until, |all| all.min(until));
        let left = until.checked_duration_since(Instant::now());
        left.filter(|left| !left.is_zero())
    }

    fn once(&self, call: Call<'_>, begun: Instant) -> Result<Vec<u8>, Failed> {
        let of_call = self.times.call;
        let whole = self.times.all.map_or(of_call, |all| all.min(of_call));
        let timed_out = || Failed::Away(Away::TimedOut(whole), false);
        let left = self.left_until(begun + of_call).ok_or_else(timed_out)?;
        let url = self.url.route(call.route);
        let response = match call.body {
            Some(body) => self.sent(Request::post(url), body, left, whole),
            None => self.sent(Request::get(url), (), left, whole),
        };
        self.answer(response?, whole)
    }

    /// The answer of the API.
    fn answer(&self, response: Response<Body>, whole: Duration) -> Result<Vec<u8>, Failed> {
        if response.status().is_success() {
            self.check_version(response.headers())?;
            // A name may have letters beyond ASCII.
            let holder = response.headers().get(HOLDER_HEADER);
            let holder = holder.and_then(|name| std::str::from_utf8(name.as_bytes()).ok());
            let is_shared = response.headers().contains_key(SHARED_HEADER);
            *self.holder.lock() = Some((holder.and_then(|name| name.parse().ok()), is_shared));
        }
        self.body(response, whole)
    }

    /// The body of a successful answer; any other answer is an error.
    fn body(&self, mut response: Response<Body>, whole: Duration) -> Result<Vec<u8>, Failed> {
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let is_problem = header(&headers, "content-type").starts_with(PROBLEM);
        let not_a_server = |reason: String| Failed::For(self.not_a_server(&reason));
        match status {
            200..=299 => {}
            300..=399 => {
                let to = match header(&headers, "location") {
                    "" => "elsewhere",
                    to => to,
                };
                return Err(not_a_server(format!(
                    "it leads to {to}, which is not followed"
                )));
            }
            401 => return Err(Failed::Unauthorized),
            // A proxy without its server.
            502 | 504 if !is_problem => return Err(Failed::Away(Away::Status(status), true)),
            500..=599 if !is_problem => return Err(Failed::Away(Away::Status(status), false)),
            _ if !is_problem => {
                return Err(not_a_server(format!("it answers with status {status}")));
            }
            _ => {}
        }
        let limit = if is_problem { LONGEST_PROBLEM } else { LONGEST };
        let body = response.body_mut().with_config().limit(limit).read_to_vec();
        let body = body.map_err(|error| self.failed(error, whole))?;
        if status < 300 {
            return Ok(body);
        }
        let problem: Problem =
            serde_json::from_slice(&body).map_err(|error| not_a_server(error.to_string()))?;
        Err(match problem.known(self.url.as_str()) {
            Some(error) => Failed::For(error),
            None if status >= 500 => {
                let detail = problem.detail;
                Failed::Away(Away::Problem { status, detail }, false)
            }
            None => Failed::For(problem.in_its_words()),
        })
    }

    fn check_version(&self, headers: &HeaderMap) -> Result<(), Failed> {
        let version = header(headers, VERSION_HEADER).parse::<u16>();
        let theirs = version.map_err(|_| {
            Failed::For(self.not_a_server(&"its answer does not come from the API of waynote"))
        })?;
        if theirs == VERSION {
            return Ok(());
        }
        Err(Failed::For(
            RemoteError::OtherVersion {
                url: self.url.to_string(),
                theirs,
                ours: VERSION,
            }
            .into(),
        ))
    }

    /// The error for a failure of the connection.
    fn failed(&self, error: ureq::Error, whole: Duration) -> Failed {
        use ureq::Error as Of;
        let not_trusted = |reason: Distrust| {
            let url = self.url.to_string();
            Failed::For(RemoteError::NotTrusted { url, reason }.into())
        };
        let unreachable = |why: &str, again| Failed::Away(Away::Unreachable(why.into()), again);
        match error {
            Of::Timeout(ureq::Timeout::Connect | ureq::Timeout::Resolve) => {
                Failed::Away(Away::TimedOut(self.times.connect.min(whole)), false)
            }
            Of::Timeout(_) => Failed::Away(Away::TimedOut(whole), false),
            Of::HostNotFound => unreachable("the host is not known", false),
            Of::ConnectionFailed => unreachable("no address of the host answers", true),
            Of::Io(error) => match error.kind() {
                io::ErrorKind::InvalidData => not_trusted(
                    Distrust::of_io(&error).unwrap_or_else(|| Distrust::Other(error.to_string())),
                ),
                io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => {
                    Failed::Away(Away::TimedOut(whole), false)
                }
                io::ErrorKind::ConnectionRefused
                | io::ErrorKind::HostUnreachable
                | io::ErrorKind::NetworkUnreachable
                | io::ErrorKind::AddrNotAvailable => unreachable(&error.to_string(), true),
                _ => Failed::Away(Away::Lost(error.to_string()), true),
            },
            Of::Tls(reason) => not_trusted(Distrust::Other(reason.to_owned())),
            Of::Rustls(error) => not_trusted(Distrust::of_tls(&error)),
            Of::BodyExceedsLimit(_) => {
                Failed::For(self.not_a_server(&"its answer is longer than any server's"))
            }
            Of::Protocol(_) if self.url.as_str().starts_with("http:") => {
                Failed::For(self.not_a_server(&"it does not answer in plain HTTP"))
            }
            error => Failed::For(self.not_a_server(&error)),
        }
    }
}

fn header<'h>(headers: &'h HeaderMap, name: &str) -> &'h str {
    let value = headers.get(name).and_then(|value| value.to_str().ok());
    value.unwrap_or_default()
}
