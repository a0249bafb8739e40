//! `waynote ui`: the page of the store in the browser of the user who runs it, and in no other.

use std::fs;
use std::io::sink;
use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use waynote_server::{Log, Options};
use waynote_system::plain::make_private_folder;

use super::serve;
use crate::args::UiArgs;
use crate::beside;
use crate::browser;
use crate::error::{Failure, Outcome, say};
use crate::home;
use crate::invocation::Context;
use crate::opened::checkouts;

/// How long a page waits for the checks of what its notes cite.
const CHECKS: Duration = Duration::from_millis(250);

pub(super) fn run(context: &mut Context<'_>, args: &UiArgs) -> Outcome {
    // Without a working directory, the page opens at the latest change.
    let place = home::base().ok().map(|base| base.cwd());
    let agent = context.settings.agent.value.clone();
    if let Some(url) = context.settings.remote() {
        // The server has no checkout: it knows a repository by its name.
        let at = match place {
            Some(place) => {
                let named = context.settings.lineage(&place)?.named(place);
                waynote_server::page_at(&named, &agent)
            }
            None => String::new(),
        };
        let url = format!("{url}/{at}");
        return on_server(context, args, &url);
    }
    // The page is for the user of this machine, whose code it sees.
    let stores = serve::stores(context, &[])?.checked(&checkouts(&context.settings, CHECKS));
    let options = Options {
        listen: (Ipv4Addr::LOCALHOST, args.port).into(),
        one_time_link: true,
        ..Options::default()
    };
    // Failures are shown on the page.
    let mut server = serve::server(context, &stores, options, Log::to(sink()))?;
    if let Some(place) = place {
        let lineages = super::mcp::lineages(&context.settings);
        let (of, here, settings) = (lineages.clone(), place.clone(), context.settings.clone());
        let beside = Arc::new(move || beside::lists(&settings, &of(&here), None));
        server = server.opens_at(place, agent, lineages, beside);
    }
    if let Some(ledgers) = super::hook::ledgers()? {
        server = server.last_given(Arc::new(move || ledgers.last_given()));
    }
    let bound = server.bind()?;
    serve::stop_at_signals(bound.stopper())?;
    let (url, link) = (bound.url(), bound.link().unwrap_or_default());
    let shown = Shown::of(&link);
    let is_open = !args.no_open && opened(&shown.address);
    context.answer(
        &json!({ "url": url, "link": link, "opened": is_open }),
        || {
            let what = match is_open {
                true => {
                    "the page is open in your browser; if not, open this link, which works once:"
                }
                false => "open this link in your browser; it works once:",
            };
            format!("{what}\n  {link}\nCtrl-C ends it")
        },
    )?;
    context.output.flush()?;
    let served = bound.run();
    drop(shown);
    served.map_err(|error| Failure::Library(error.into()))
}

/// The server of a remote store already has the page.
fn on_server(context: &mut Context<'_>, args: &UiArgs, url: &str) -> Outcome {
    let is_open = !args.no_open && opened(url);
    context.answer(
        &json!({ "url": url, "opened": is_open }),
        || match is_open {
            true => format!("opened {url}"),
            false => format!("the page is at {url}"),
        },
    )
}

/// Opens an address in the browser. One that cannot be opened is for the person to open.
fn opened(address: &str) -> bool {
    browser::open(home::environment(), address).unwrap_or_else(|reason| {
        say(&format!("warning: no browser was opened: {reason}"));
        false
    })
}

/// The link for the browser, or a file that leads to it.
///
/// Everybody on the machine can read the arguments of a program. On Linux that helps nobody, because the server takes
/// no connection of another user. Elsewhere the link goes through a file that only this user can read.
struct Shown {
    address: String,
    file: Option<PathBuf>,
}

impl Shown {
    fn of(link: &str) -> Self {
        let as_it_is = || Self {
            address: link.to_owned(),
            file: None,
        };
        if cfg!(target_os = "linux") {
            return as_it_is();
        }
        match Self::by_file(link) {
            Ok(Some(shown)) => shown,
            _ => as_it_is(),
        }
    }

    fn by_file(link: &str) -> Outcome<Option<Self>> {
        let Some(state) = home::environment().state()? else {
            return Ok(None);
        };
        let folder = state.join("waynote");
        let file = folder.join(format!("open-{}.html", std::process::id()));
        let text = format!(
            "<!DOCTYPE html><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" content=\"0; url={link}\">\
             <title>waynote</title><p><a href=\"{link}\">Open the page</a></p>\n"
        );
        let written = make_private_folder(&folder)
            .and_then(|()| waynote_files::replace_private(&file, text.as_bytes(), None));
        written.map_err(|error| Failure::file(file.display().to_string(), "written", error))?;
        Ok(Some(Self {
            address: format!("file://{}", file.display()),
            file: Some(file),
        }))
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        if let Some(file) = &self.file {
            let _ = fs::remove_file(file);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_file_that_leads_to_the_link_is_for_its_owner_alone() {
        let Some(shown) = Shown::by_file("http://127.0.0.1:1/open?key=00").unwrap() else {
            return;
        };
        let file = shown.file.clone().unwrap();
        assert_eq!(shown.address, format!("file://{}", file.display()));
        let text = fs::read_to_string(&file).unwrap();
        assert!(
            text.contains("0; url=http://127.0.0.1:1/open?key=00"),
            "{text}"
        );
        let mode = file.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        drop(shown);
        assert!(!file.exists());
    }
}
