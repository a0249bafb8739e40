//! The binary `waynote`: arguments in, text or JSON out. No rule of its own.

mod args;
mod authorities;
mod beside;
#[cfg(feature = "server")]
mod browser;
mod client_errors;
mod clock;
mod commands;
mod complete;
mod database;
mod duration;
mod error;
mod escaped;
mod hints;
mod home;
mod input;
mod inside;
mod invocation;
mod opened;
mod output;
mod presets;
mod program;
mod remembered;
mod remote;
mod secret_command;
mod session_view;
mod settings;
mod table;
mod team;
mod typed;
mod variables;
mod when;

use std::io::IsTerminal;
use std::process::ExitCode;

// Under the names that the modules below know them by.
use waynote_system::{process, shell};

use crate::error::Failure;
use crate::output::Output;

fn main() -> ExitCode {
    waynote_system::limits::size_limit_is_an_error();
    if complete::answered() {
        return ExitCode::SUCCESS;
    }
    let arguments: Vec<_> = std::env::args_os().collect();
    // Errors are JSON too, even errors about unreadable arguments.
    let json = arguments.iter().any(|argument| argument == "--json");
    let outcome = match args::parsed(&arguments) {
        Ok(cli) => {
            let mut output = Output::new(cli.global.json);
            let is_loop = matches!(cli.command, Some(args::Command::Loop(_)));
            let is_read = output.is_terminal() || (is_loop && std::io::stderr().is_terminal());
            if is_read && !cli.global.json && !cli.global.utc {
                when::show_local();
            }
            error::set_quiet(cli.global.quiet);
            commands::run(&cli, &mut output).and_then(|code| {
                output.flush()?;
                Ok(code)
            })
        }
        // A client's prompt must not wait for, or be blocked by, words that this version does not know.
        Err(error) if error.use_stderr() => match commands::of_hook(&arguments) {
            Some(words) => Ok(commands::refuse_hook(words, &error)),
            None => Err(Failure::Arguments(args::explained(error, &arguments))),
        },
        Err(help) => match help.print() {
            Ok(()) => Ok(ExitCode::SUCCESS),
            Err(error) => Err(error.into()),
        },
    };
    match outcome {
        Ok(code) => code,
        // A hook's output that cannot be written is no reason to block a client.
        Err(failure) if commands::of_hook(&arguments).is_some() => {
            failure.report(json);
            ExitCode::SUCCESS
        }
        Err(failure) => failure.report(json),
    }
}
