//! The MCP endpoint of a store: `/s/{store}/mcp`. Requests have no session: each one names its agent in the URL.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{FromRequestParts, Query, Request};
use axum::response::Response;
use axum::routing::any;
use jiff::Timestamp;
use serde::Deserialize;
use tokio::sync::OwnedSemaphorePermit;
use waynote::context::{Budget, Style};
use waynote::{Allowance, Limits, Name, Place, Store};
use waynote_mcp::{Caller, Host, Options, Refusal, Set};

use crate::access::Rights;
use crate::app::App;
use crate::edge::whole;
use crate::problem::{Answer, Problem};
use crate::visit::{Visit, Waits};

/// The agent of a request that names none, and whose token no agent holds.
const AGENT: &str = "default";

pub(crate) fn router() -> Router<App> {
    Router::new()
        .route("/mcp", any(answer))
        .route("/mcp/", any(answer))
}

/// The query of the URL: the agent, and the machine that it works on.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct McpQuery {
    /// The agent of the notebook.
    agent: Option<String>,
    /// The directory that the client works in: on its own machine an absolute path, or one below `~`; or a directory of a
    /// repository by the repository's name. Only then a note without a scope is the project's.
    place: Option<String>,
    /// The client's home directory, which `~` stands for.
    home: Option<String>,
    /// The session of a loop.
    session: Option<String>,
    /// The iteration of that session; none: the one that is running.
    iteration: Option<i64>,
    /// The token budget of a block; 0: no limit.
    budget: Option<usize>,
    /// `stable` or `faithful`.
    style: Option<String>,
    /// The sets of tools, separated by commas.
    tools: Option<String>,
}

async fn answer(visit: Visit, request: Request) -> Answer<Response> {
    let (mut parts, body) = request.into_parts();
    let named = Query::<McpQuery>::from_request_parts(&mut parts, &visit.app).await;
    let named = named.map_err(|error| {
        Problem::bad_request(error.body_text()).hint(
            "the parameters are agent, place, home, session, iteration, budget, style and tools",
        )
    })?;
    let options = options(&visit, named.0)?;
    let app = visit.app.clone();
    let body = whole(Request::from_parts(parts.clone(), body), &app).await?;
    let searches = SEARCHES.iter().any(|tool| holds(&body, tool.as_bytes()));
    let seat = match searches {
        true => app.searches.clone().acquire_owned().await.ok(),
        false => None,
    };
    let allowance = Allowance::of(Limits::ANSWER_BYTES);
    let _waits = Waits(allowance.clone());
    let host = Arc::new(RequestHost {
        visit,
        allowance,
        _seat: seat,
    });
    let request = Request::from_parts(parts, Body::from(body));
    let answered = waynote_mcp::answer(request, options, host).await;
    Ok(answered.map(Body::new))
}

/// The tools that search or make a prompt block, of which few run at one time.
const SEARCHES: [&str; 2] = ["note_search", "note_context"];

fn holds(body: &[u8], word: &[u8]) -> bool {
    body.windows(word.len()).any(|part| part == word)
}

fn options(visit: &Visit, named: McpQuery) -> Answer<Options> {
    let held = visit.grant.token.as_ref().filter(|token| token.is_agents);
    let agent: Name = match (&named.agent, held) {
        (Some(agent), _) => agent.parse()?,
        (None, Some(token)) => token.holder.clone(),
        (None, None) => AGENT.parse()?,
    };
    let session: Option<Name> = named.session.map(|session| session.parse()).transpose()?;
    let style = match named.style.as_deref() {
        None => Style::Stable,
        Some(word) => word.parse().map_err(Problem::bad_request)?,
    };
    let words = named.tools.as_deref().unwrap_or("default");
    let tools = words.split(',').map(str::trim).map(str::parse::<Set>);
    let tools: Vec<Set> = tools.collect::<Result<_, _>>().map_err(|known| {
        Problem::bad_request("a set of tools has an unknown name")
            .hint(known.replace(" and all", ""))
    })?;
    let directories = directory(named.place.as_deref(), named.home.as_deref())?;
    let caller = Caller {
        author: format!("agent:{agent}").parse()?,
        agent,
        session,
        iteration: named.iteration,
        is_in_loop: false,
        limits: Limits::default(),
        style,
        budget: named.budget.map_or_else(Budget::default, Budget::of),
        home: named.home,
        directories,
        lineages: None,
    };
    Ok(Options {
        caller,
        tools,
        has_project: true,
        delivery: None,
    })
}

/// The client's directory, if it is known: an absolute path, or a place of a repository.
fn directory(place: Option<&str>, home: Option<&str>) -> Answer<Vec<String>> {
    let Some(place) = place else {
        return Ok(Vec::new());
    };
    let below_home = place
        .strip_prefix('~')
        .filter(|below| below.is_empty() || below.starts_with('/'));
    match (below_home, home) {
        (Some(below), Some(home)) => Ok(vec![format!("{home}{below}")]),
        (Some(_), None) => Err(Problem::bad_request(
            "`place` begins with `~`, and `home` is missing",
        )
        .hint("add `home=`: the absolute path of the client's home directory")),
        (None, _) => {
            // A relative path names no directory.
            place.parse::<Place>()?;
            Ok(vec![place.to_owned()])
        }
    }
}

/// The store as the request's token sees it.
struct RequestHost {
    visit: Visit,
    allowance: Allowance,
    _seat: Option<OwnedSemaphorePermit>,
}

impl Host for RequestHost {
    fn store(&self) -> &(dyn Store + Send + Sync) {
        &*self.visit.store
    }

    fn now(&self) -> Timestamp {
        self.visit.app.now()
    }

    fn allowance(&self) -> Option<&Allowance> {
        Some(&self.allowance)
    }

    fn may_write(&self) -> Result<(), Refusal> {
        let may = self.visit.grant.require(Rights::Write, "writing");
        may.map_err(Refusal::from)
    }
}
