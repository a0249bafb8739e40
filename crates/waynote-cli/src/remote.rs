//! A store on a server: its token, its time limits, and the errors of commands that need a store on this machine.

use std::path::Path;
use std::time::Duration;

use waynote::visible::visible;
use waynote_remote::{Keep, Options, RemoteStore, Times, Token, Url};
use waynote_system::variables::TOKEN;

use crate::authorities::authorities;
use crate::error::{Failure, Outcome};
use crate::secret_command::printed;
use crate::settings::{Origin, Settings};
use crate::{clock, home};

/// How long a hook waits for a server that is away.
const HOOK_WAIT: Duration = Duration::from_secs(1);

/// The longest token, in bytes.
const LONGEST: u64 = 4096;

impl Settings {
    /// The address of the store, if it is on a server.
    pub(crate) fn remote(&self) -> Option<&str> {
        self.store.value.to_str().filter(|text| Url::is_meant(text))
    }

    /// The store's file, for what works only on the machine where it is.
    ///
    /// # Errors
    /// If the store is on a server or in a database.
    pub(crate) fn store_file(&self) -> Outcome<&Path> {
        match self.remote().or(self.database()) {
            Some(url) => Err(not_here(url)),
            None => Ok(&self.store.value),
        }
    }
}

/// The error for a command that needs a store in a file of this machine.
pub(crate) fn not_here(url: &str) -> Failure {
    Failure::usage(
        format!(
            "this works only with a store in a file of this machine, which {} is not",
            visible(url)
        ),
        "run it on the store's own machine, or name a file with `--store PATH`; a database is backed up by `pg_dump`, \
         and `waynote copy URL FILE` copies its store",
    )
}

/// Refuses what only a store in a file has.
pub(crate) fn refuse_local_parts(settings: &Settings, url: &str) -> Outcome {
    if settings.attach {
        return Err(not_here(url));
    }
    let Some(file) = &settings.notes_file.value else {
        return Ok(());
    };
    let file = visible(&file.display().to_string());
    Err(Failure::usage(
        format!(
            "{file}, which {} names, cannot be kept in sync with a store on a server or in a database",
            settings.notes_file.origin
        ),
        "keep it in sync where the store is, or unset `notes_file`",
    ))
}

/// The store at this address: how long a call takes at most, and all calls together. Nothing is sent yet.
pub(crate) fn open(
    settings: &Settings,
    url: &str,
    longest: Option<Duration>,
    all: Option<Duration>,
) -> Outcome<RemoteStore> {
    refuse_local_parts(settings, url)?;
    let wait = settings.lock_wait.value;
    let times = match longest {
        // A session starts with its cached block rather than late.
        Some(longest) => Times {
            wait: wait.min(longest / 2).min(HOOK_WAIT),
            all,
            ..Times::at_most(longest)
        },
        None => Times {
            wait,
            ..Times::default()
        },
    };
    let authorities = match url.starts_with("https") {
        true => authorities(settings.ca_file.value.as_deref())?,
        false => Vec::new(),
    };
    let options = Options {
        token: token(settings)?,
        times,
        authorities,
        keep: keep()?,
    };
    Ok(RemoteStore::open(url, options)?)
}

/// The number of tools of an MCP endpoint, asked as a client asks it: with the token of the client's variable, and
/// without this program's own settings, of which a client knows nothing.
pub(crate) fn endpoint_tools(endpoint: &str) -> Outcome<usize> {
    let token = home::variable(TOKEN)?.filter(|token| !token.is_empty());
    let mut options = Options {
        token: token.map_or_else(Token::default, Token::new),
        ..Options::default()
    };
    if endpoint.starts_with("https") {
        options.authorities = authorities(None)?;
    }
    Ok(waynote_remote::endpoint_tools(endpoint, &options)?)
}

/// The cache of remote stores on this machine; none without a home directory.
pub(crate) fn keep() -> Outcome<Option<Keep>> {
    let state = home::environment().state()?;
    let now = || clock::now().unwrap_or_default();
    Ok(state.map(|state| Keep::new(state.join("waynote/blocks"), now)))
}

/// The token: of `WAYNOTE_TOKEN`, a file or a command. A flag takes precedence over the variable.
fn token(settings: &Settings) -> Outcome<Token> {
    let is_flag = matches!(settings.token_file.origin, Origin::Flag(_));
    let given = home::variable(TOKEN)?.filter(|token| !token.is_empty() && !is_flag);
    let file = settings.token_file.value.clone();
    Ok(match (given, file, settings.token_command.value.clone()) {
        (Some(token), ..) => Token::new(token).held_by(TOKEN),
        (None, Some(file), _) => {
            let name = file.display().to_string();
            Token::from_fn(move || of_file(&file)).held_by(&name)
        }
        (None, None, Some(command)) => Token::from_fn(move || printed("token_command", &command))
            .held_by("what the command of `token_command` prints"),
        (None, None, None) => Token::default(),
    })
}

fn of_file(file: &Path) -> Result<String, String> {
    let text = waynote_files::contents(file, LONGEST).and_then(|bytes| {
        let text = String::from_utf8(bytes);
        text.map_err(|_| std::io::Error::other("it is not UTF-8"))
    });
    text.map_err(|error| format!("{} cannot be read: {error}", file.display()))
}
