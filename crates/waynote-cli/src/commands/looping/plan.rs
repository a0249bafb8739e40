//! The plan of a loop from its arguments and the settings.

use std::ffi::OsString;
use std::path::PathBuf;

use waynote::context::Request;
use waynote_clients::{Rights, missing_rights};
use waynote_loop::{AgentCommand, Backoff, FileId, Logs, Plan, SourceFile, Template};
use waynote_system::variables::{CA_FILE, STORE, TOKEN_FILE};

use crate::args::LoopArgs;
use crate::error::{Failure, Outcome};
use crate::presets::Preset;
use crate::settings::{Origin, Settings};
use crate::variables::machine;

/// A plan with what it needs of the agent's client.
pub(super) struct Planned {
    pub(super) plan: Plan,
    /// The rights that the client does not give its agent.
    pub(super) missing: Vec<String>,
    /// Its files are there as long as this is.
    _rights: Rights,
}

/// Makes the plan.
pub(super) fn of(settings: &Settings, args: &LoopArgs) -> Outcome<Planned> {
    let directory = std::env::current_dir()
        .map_err(|error| Failure::file("the working directory", "read", error))?;
    let session = settings.session()?.clone();
    // The variable is a loop's own, from further up.
    if matches!(settings.iteration.origin, Origin::Flag(_)) {
        let hint = "leave `--iteration` out; `--iterations N` says how many there shall be";
        return Err(Failure::usage("a loop counts its iterations itself", hint));
    }
    let place = crate::home::base()?.cwd();
    let now = crate::clock::now()?;
    let (style, budget) = settings.style_and_budget(args.style, args.budget)?;
    let file = |option, path: &Option<PathBuf>| {
        let path = path.as_deref();
        path.map(|path| SourceFile::new(option, path, &directory))
    };
    let template = args.prompt.as_ref().map(|path| {
        let source = SourceFile::new("--prompt", path, &directory).whole()?;
        let name = path.display().to_string();
        Outcome::Ok(Template { name, source })
    });
    let template = template.transpose()?;
    let lineage = settings.lineage(&place)?;
    let notes = Request::new(settings.agent.value.clone(), lineage, now)
        .style(style)
        .budget(budget)
        .tools(waynote_mcp::reader_tools());
    let client = args.with.map(Preset::client);
    let rights = match client {
        Some(client) => waynote_clients::rights(machine(), client, &args.command)?,
        None => Rights::default(),
    };
    let mut words = [&rights.arguments[..], &args.command].concat();
    if let Some(preset) = args.with {
        words = preset.words(&words);
    }
    let agent = AgentCommand::new(&words)?;
    let agent_author = settings.agents_author()?;
    let mut plan = Plan::new(session, agent, &directory, agent_author, notes);
    plan.author = settings.author.value.clone();
    plan.secrets = settings.secret_policy();
    plan.environment = rights.environment.clone();
    match (settings.remote(), settings.database()) {
        (Some(url), _) => plan.environment.extend(of_server(settings, url)?),
        // Its password is in a variable or a file that the agent has too.
        (None, Some(url)) => plan.environment.push((STORE.to_owned(), url.into())),
        (None, None) => plan.store_file = Some(settings.store.value.clone()),
    }
    plan.iterations = args.iterations;
    plan.time = args.time;
    plan.iteration_time = args.iteration_time;
    plan.stall = args.stall;
    plan.backoff = Backoff::new(args.retry_wait, args.retries);
    let logs = args.logs.as_deref();
    plan.logs = logs.map(|logs| Logs::new("--logs", logs, &directory));
    plan.reports_failure = args.with.and_then(Preset::reports_failure);
    let outputs = [FileId::of(std::io::stdout()), FileId::of(std::io::stderr())];
    plan.outputs = outputs.into_iter().flatten().collect();
    plan.prompt.spec = file("--spec", &args.spec);
    plan.prompt.tasks = file("--tasks", &args.tasks);
    plan.prompt.template = template;
    plan.prompt.extra_instructions = args.extra_instructions.clone();
    plan.prompt.until = args.until.clone();
    plan.check()?;
    let missing = client.map_or(Vec::new(), |client| {
        missing_rights(machine(), client, &args.command)
    });
    Ok(Planned {
        plan,
        missing,
        _rights: rights,
    })
}

/// The variables that lead an agent to a store on a server. The token is passed on by its file, if it is in one.
fn of_server(settings: &Settings, url: &str) -> Outcome<Vec<(String, OsString)>> {
    let mut variables = vec![(STORE.to_owned(), url.into())];
    for (name, file) in [
        (TOKEN_FILE, &settings.token_file.value),
        (CA_FILE, &settings.ca_file.value),
    ] {
        let Some(file) = file else { continue };
        let file = std::path::absolute(file)
            .map_err(|error| Failure::file(file.clone(), "found", error))?;
        variables.push((name.to_owned(), file.into()));
    }
    Ok(variables)
}
