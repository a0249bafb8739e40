//! The commands: one file for each, or for a group of them.

mod answer;
mod backup;
#[cfg(feature = "browse")]
mod browse;
mod config;
mod confirm;
mod context;
mod copy;
mod demo;
mod demo_agent;
mod diff;
mod doctor;
mod edit;
mod event;
mod export;
mod forget;
mod history;
pub(crate) mod hook;
mod import;
mod import_progress;
mod install;
mod key;
mod list;
mod log;
mod looping;
mod manual;
mod mcp;
mod moves;
mod note;
mod overview;
mod pause;
mod place;
mod plugin;
mod rollback;
mod saved;
mod search;
#[cfg(feature = "server")]
mod serve;
mod sessions;
mod share;
mod share_team;
mod show;
mod stale;
mod stands;
mod start;
#[cfg(feature = "postgres")]
mod stores;
mod tend;
mod theirs;
#[cfg(feature = "server")]
mod token;
mod trust;
#[cfg(feature = "server")]
mod ui;
mod undo;
mod unseen;
mod verify;
mod why;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::CommandFactory;

use crate::args::{
    Cli, ClientArg, Command, Global, ServerCommand, SessionCommand, TokenCommand, VerbCommand,
};
use crate::complete;
#[cfg(not(all(feature = "browse", feature = "server", feature = "postgres")))]
use crate::error::Failure;
use crate::error::Outcome;
use crate::inside;
use crate::invocation::Context;
use crate::output::Output;
use crate::settings::Settings;

/// Runs a command. Its exit code is 0 unless it returns another.
pub(crate) fn run(cli: &Cli, output: &mut Output) -> Outcome<ExitCode> {
    // These need no settings, and must work where the settings are broken.
    match &cli.command {
        Some(Command::Completions { shell }) => {
            return output.text(&complete::script(*shell)?).map(ok);
        }
        Some(Command::Licences) => return manual::licences(output).map(ok),
        Some(Command::Man { dir }) => return manual::man(dir.as_deref(), output).map(ok),
        Some(Command::Demo) => return demo::run(output),
        Some(Command::LoopGuard) => return Ok(ok(waynote_loop::keep_guard()?)),
        Some(Command::DemoAgent) => return demo_agent::run(output).map(ok),
        Some(Command::Hook(args)) => return Ok(hook::run(args, &cli.global, output)),
        _ => {}
    }
    let global = match &cli.command {
        Some(Command::Mcp { .. }) => &inside::of_the_loop(&cli.global)?,
        // Its stores have names in front, and clap hands them on as the store of every command.
        Some(Command::Server(ServerCommand::Serve(args))) if !args.stores.is_empty() => &Global {
            store: None,
            ..cli.global.clone()
        },
        _ => &cli.global,
    };
    let settings = match &cli.command {
        // These do not touch the notes, or say what is wrong with the settings.
        Some(
            Command::Config { .. }
            | Command::Copy { .. }
            | Command::Stores(_)
            | Command::Doctor { .. }
            | Command::Install(_)
            | Command::Uninstall(_)
            | Command::Plugin { .. }
            | Command::Why { .. }
            | Command::Pause(_),
        ) => Settings::read_for_repair(global)?,
        _ => {
            let settings = Settings::read(global)?;
            settings.warn(global.json);
            settings
        }
    };
    // A client's entry was made by a person.
    if !matches!(cli.command, Some(Command::Mcp { .. })) {
        let token = global.token_file.iter().map(|_| "token_file");
        let mut set = global.set.iter().map(String::as_str).chain(token);
        set.try_for_each(config::check_person)?;
    }
    let mut context = Context::new(settings, output);
    if let Some(
        Command::Import(_)
        | Command::Start(_)
        | Command::Doctor { .. }
        | Command::Token(TokenCommand::Create(_))
        | Command::Verb(VerbCommand::Edit(_)),
    ) = &cli.command
    {
        // They read before they write, and doctor says itself what is missing.
        context.may_write();
    }
    match &cli.command {
        #[cfg(feature = "browse")]
        Some(Command::Browse) => browse::run(&mut context),
        #[cfg(not(feature = "browse"))]
        Some(Command::Browse) => Err(Failure::left_out("browse")),
        None | Some(Command::Status) => overview::run(&mut context).map(ok),
        Some(Command::Note(args)) => note::run(&mut context, args).map(ok),
        Some(Command::Place(command)) => place::run(&mut context, command).map(ok),
        Some(Command::Key(command)) => key::run(&mut context, command).map(ok),
        Some(Command::Log(command)) => log::run(&mut context, command).map(ok),
        Some(Command::Loop(args)) => looping::run(&mut context, args),
        Some(Command::Session(SessionCommand::Archive { of, undo })) => {
            sessions::archive(&mut context, of, *undo).map(ok)
        }
        Some(Command::Answer { of, text }) => answer::run(&mut context, of, text).map(ok),
        Some(Command::Context(args)) => context::run(&mut context, args).map(ok),
        Some(Command::Search(args)) => search::run(&mut context, args).map(ok),
        Some(Command::Show(args)) => show::run(&mut context, args).map(ok),
        Some(Command::History { address, narrow }) => match address {
            Some(address) => history::run(&mut context, address),
            None => list::changes(&mut context, narrow),
        }
        .map(ok),
        Some(Command::Verb(command)) => match command {
            VerbCommand::Edit(args) => edit::run(&mut context, args),
            VerbCommand::Mv(args) => moves::one(&mut context, args, false),
            VerbCommand::Cp(args) => moves::one(&mut context, args, true),
            VerbCommand::Ls(args) => list::run(&mut context, args),
            VerbCommand::Diff { old, new } => diff::run(&mut context, old, new.as_deref()),
        }
        .map(ok),
        Some(Command::Undo { address }) => undo::undo(&mut context, address.as_deref()).map(ok),
        Some(Command::Redo { address }) => undo::redo(&mut context, address.as_deref()).map(ok),
        Some(Command::Backup { file, force }) => backup::backup(&mut context, file, *force).map(ok),
        Some(Command::Restore(args)) => backup::restore(&mut context, args).map(ok),
        Some(Command::Forget {
            address,
            revision,
            everywhere,
            dry_run,
            yes,
        }) => {
            let request = forget::request(&context, address, *revision, *everywhere)?;
            forget::run(&mut context, &request, *dry_run, *yes).map(ok)
        }
        Some(Command::Mcp { tools }) => mcp::run(&context, tools).map(ok),
        #[cfg(feature = "server")]
        Some(Command::Server(ServerCommand::Serve(args))) => serve::run(&mut context, args).map(ok),
        #[cfg(feature = "server")]
        Some(Command::Ui(args)) => ui::run(&mut context, args).map(ok),
        #[cfg(feature = "server")]
        Some(Command::Token(command)) => token::run(&mut context, command).map(ok),
        #[cfg(not(feature = "server"))]
        Some(Command::Server(_) | Command::Ui(_) | Command::Token(_)) => {
            Err(Failure::left_out("server"))
        }
        Some(Command::Import(command)) => import::run(&mut context, command),
        Some(Command::Export(command)) => export::run(&mut context, command),
        Some(Command::Start(args)) => start::run(&mut context, args).map(ok),
        Some(Command::Why { of }) => why::run(&mut context, of.as_deref()).map(ok),
        Some(Command::Stale) => stale::list(&mut context).map(ok),
        Some(Command::Tend) => tend::run(&mut context).map(ok),
        Some(Command::Confirm { address }) => stale::confirm(&mut context, address).map(ok),
        Some(Command::Share(args)) => share::run(&mut context, args).map(ok),
        Some(Command::Trust(args)) => trust::run(&mut context, args).map(ok),
        Some(Command::Pause(args)) => pause::run(&mut context, args).map(ok),
        Some(Command::Install(args)) => install::install(&mut context, args).map(ok),
        Some(Command::Uninstall(args)) => install::uninstall(&mut context, args).map(ok),
        Some(Command::Plugin { folder }) => plugin::run(&mut context, folder).map(ok),
        Some(Command::Doctor { client, project }) => {
            let client = client.map(|ClientArg(client)| client);
            doctor::run(&mut context, client, *project)
        }
        Some(Command::Verify {
            accept_rollback: true,
            yes,
            ..
        }) => rollback::accept(&mut context, *yes).map(ok),
        Some(Command::Verify { repair_index, .. }) => verify::run(&mut context, *repair_index),
        Some(Command::Copy { from, to }) => copy::run(&mut context, from, to),
        #[cfg(feature = "postgres")]
        Some(Command::Stores(command)) => stores::run(&mut context, command).map(ok),
        #[cfg(not(feature = "postgres"))]
        Some(Command::Stores(_)) => Err(Failure::left_out("postgres")),
        Some(Command::Config { command }) => config::run(&mut context, command.as_ref()).map(ok),
        Some(
            Command::Completions { .. }
            | Command::Licences
            | Command::Man { .. }
            | Command::Demo
            | Command::DemoAgent
            | Command::LoopGuard
            | Command::Hook(_),
        ) => Ok(ExitCode::SUCCESS),
    }
}

/// The words of a hook, from `hook` on, if the arguments begin one: options of every command may stand before it.
pub(crate) fn of_hook(arguments: &[OsString]) -> Option<&[OsString]> {
    let cli = Cli::command();
    let takes_value = |option: &str| {
        let long = option.strip_prefix("--");
        let mut known = cli.get_arguments();
        long.is_some()
            && known.any(|known| known.get_long() == long && known.get_action().takes_values())
    };
    let mut words = arguments.iter().enumerate().skip(1);
    while let Some((index, word)) = words.next() {
        let word = word.to_str()?;
        if word == "hook" {
            return Some(&arguments[index..]);
        }
        if !word.starts_with('-') {
            return None;
        }
        if takes_value(word) {
            words.next();
        }
    }
    None
}

/// A hook with unreadable arguments adds nothing, like any that fails.
pub(crate) fn refuse_hook(words: &[OsString], error: &clap::Error) -> ExitCode {
    let text = error.to_string();
    let first = text.lines().next().unwrap_or_default();
    hook::refuse(words.get(1).and_then(|client| client.to_str()), first)
}

fn ok((): ()) -> ExitCode {
    ExitCode::SUCCESS
}
