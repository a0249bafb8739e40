//! Password files as libpq has them: lines `HOST:PORT:DATABASE:USER:PASSWORD`, where `*` stands for all.

use std::fs::File;
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::Arc;

use tokio_postgres::Config;
use tokio_postgres::config::Host;
use waynote::Error;

use crate::error::Fault;

/// A function that gives the password for a new connection.
pub(crate) type PasswordSource = Arc<dyn Fn() -> Result<String, String> + Send + Sync>;

/// The text of a password file; none if there is no such file.
pub(crate) fn read(path: &Path) -> Result<Option<String>, Error> {
    let of = |source| Error::file(path, "read", source);
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(of(error)),
    };
    let meta = file.metadata().map_err(of)?;
    if meta.mode() & 0o077 != 0 && meta.is_file() {
        return Err(Fault::OpenPasswords
            .of(path.display().to_string(), "")
            .into());
    }
    let mut text = String::new();
    // A pipe may be meant; a device has no end.
    const LONGEST: u64 = 1 << 20;
    file.take(LONGEST).read_to_string(&mut text).map_err(of)?;
    Ok(Some(text))
}

/// The password for the first of the hosts for which there is one.
pub(crate) fn find(file: &str, config: &Config) -> Option<String> {
    let user = config.get_user().unwrap_or_default();
    let database = config.get_dbname().unwrap_or(user);
    let ports = config.get_ports();
    config
        .get_hosts()
        .iter()
        .enumerate()
        .find_map(|(index, host)| {
            let host = match host {
                Host::Tcp(host) => host,
                // As libpq names every socket.
                #[cfg(unix)]
                Host::Unix(_) => "localhost",
            };
            let port = ports.get(index).or(ports.first()).unwrap_or(&5432);
            let wanted = [host, &port.to_string(), database, user];
            file.lines().find_map(|line| matching(line, wanted))
        })
}

fn matching(line: &str, wanted: [&str; 4]) -> Option<String> {
    if line.starts_with('#') {
        return None;
    }
    let fields = fields(line);
    let (password, of) = fields.split_last()?;
    let matches = |(field, wanted): (&String, &str)| field == "*" || field == wanted;
    let is_it = of.len() == wanted.len() && of.iter().zip(wanted).all(matches);
    is_it.then(|| password.clone())
}

/// The fields between colons; a backslash takes the next character as it is.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut chars = line.chars();
    while let Some(char) = chars.next() {
        let last = fields.len() - 1;
        match char {
            // Colons after the fourth belong to the password.
            ':' if fields.len() < 5 => fields.push(String::new()),
            '\\' => fields[last].extend(chars.next()),
            char => fields[last].push(char),
        }
    }
    fields
}
