//! Password files as libpq has them: lines `HOST:PORT:DATABASE:USER:PASSWORD`, where `*` stands for all.

use std::fs::File;
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::Mutex;
use tokio_postgres::config::Host;
use waynote::Error;

use crate::error::Fault;
use crate::options::Options;

/// How long an answer is used.
const FRESH: Duration = Duration::from_secs(60);

/// The source of a password that lasts for minutes.
#[derive(Clone)]
pub(crate) struct PasswordSource {
    name: String,
    ask: Arc<dyn Fn() -> Result<String, String> + Send + Sync>,
    answer: Arc<Mutex<Option<(Instant, String)>>>,
}

impl PasswordSource {
    pub(crate) fn new(
        name: String,
        ask: impl Fn() -> Result<String, String> + Send + Sync + 'static,
    ) -> Self {
        Self {
            name,
            ask: Arc::new(ask),
            answer: Arc::default(),
        }
    }

    /// The password for a new connection. It is asked for on a thread of its own: the caller's time may end before.
    pub(crate) async fn password(&self) -> Result<String, String> {
        let mut answer = self.answer.lock().await;
        if let Some((at, password)) = &*answer
            && at.elapsed() < FRESH
        {
            return Ok(password.clone());
        }
        let ask = Arc::clone(&self.ask);
        let asked = tokio::task::spawn_blocking(move || ask()).await;
        let password = asked.map_err(|_| "it was not asked for".to_owned())??;
        *answer = Some((Instant::now(), password.clone()));
        Ok(password)
    }

    /// The server does not take the last answer.
    pub(crate) async fn forget(&self) {
        *self.answer.lock().await = None;
    }
}

impl PartialEq for PasswordSource {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

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
pub(crate) fn find(file: &str, options: &Options) -> Option<String> {
    let user = options.config.get_user().unwrap_or_default();
    let database = options.config.get_dbname().unwrap_or(user);
    options.targets().find_map(|target| {
        let host = match target.host? {
            Host::Tcp(host) => host,
            // As libpq names every socket.
            Host::Unix(_) => "localhost".to_owned(),
        };
        let wanted = [host.as_str(), &target.port.to_string(), database, user];
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
