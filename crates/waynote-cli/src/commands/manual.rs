//! `waynote man`, generated from the same definitions as the help; `waynote licences`.

use std::path::Path;

use clap::CommandFactory;

use crate::args::Cli;
use crate::error::{Failure, Outcome};
use crate::output::Output;

pub(super) fn licences(output: &mut Output) -> Outcome {
    let own = env!("CARGO_PKG_LICENSE");
    output.text(&format!("waynote: {own}\n\n{}", waynote_tokens::NOTICE))
}

pub(super) fn man(folder: Option<&Path>, output: &mut Output) -> Outcome {
    match folder {
        None if output.is_terminal() => Err(Failure::usage(
            "the source of the manual page is not for reading",
            "`waynote man | man -l -` shows the page; `--dir FOLDER` writes one for every command",
        )),
        None => {
            let mut text = Vec::new();
            clap_mangen::Man::new(Cli::command()).render(&mut text)?;
            output.text(&String::from_utf8_lossy(&text))
        }
        Some(folder) => {
            std::fs::create_dir_all(folder)
                .and_then(|()| clap_mangen::generate_to(Cli::command(), folder))
                .map_err(|error| Failure::file(folder, "written", error))?;
            output.line(format!("wrote the manual pages to {}", folder.display()))
        }
    }
}
