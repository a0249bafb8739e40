//! A process of its own that writes notes: this test binary, started again for one test.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use waynote::{
    Content, EntryType, Limits, LocalStore, Notebook, Place, Places, SaveOptions, SessionLog, Stamp,
};

use crate::stores::Shared;

/// The job of a worker process.
#[derive(Clone, Debug)]
pub struct Job {
    /// The folder of the store.
    pub folder: PathBuf,
    /// The author of the notes.
    pub name: String,
    /// The number of notes.
    pub adds: u32,
}

const JOB: &str = "WAYNOTE_TEST_JOB";

impl Job {
    /// Starts it. It waits for a line on its standard input, and prints each acknowledged note.
    pub fn start(&self) -> Child {
        let job = format!("{}\n{}\n{}", self.folder.display(), self.name, self.adds);
        Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "suite::processes::worker", "--nocapture"])
            .env(JOB, job)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap()
    }

    fn from_environment() -> Option<Self> {
        let job = std::env::var(JOB).ok()?;
        let lines: Vec<&str> = job.split('\n').collect();
        let [folder, name, adds] = lines[..] else {
            return None;
        };
        Some(Self {
            folder: folder.into(),
            name: name.into(),
            adds: adds.parse().ok()?,
        })
    }
}

/// Adds note number `number` of a worker; its address.
fn add(store: &dyn LocalStore, name: &str, number: u32) -> waynote::Result<String> {
    let stamp = Stamp::new(jiff::Timestamp::now(), name.parse()?);
    let content = Content::text(format!("note {number} of {name}"))?;
    let note = match number % 3 {
        0 => {
            let notebook = Notebook::of_agent(store, "shared".parse()?);
            let options = SaveOptions::default().limits(Limits::NONE);
            notebook
                .save(
                    &format!("{name}-{number}").parse()?,
                    content,
                    options,
                    &stamp,
                )?
                .0
        }
        1 => SessionLog::new(store, "shared".parse()?).add(
            EntryType::Tip,
            Some(1),
            content,
            &stamp,
        )?,
        _ => {
            let place: Place = format!("~/{name}/{number}").parse()?;
            Places::new(store).write(&place, content, &stamp)?
        }
    };
    Ok(note.address.to_string())
}

/// The worker's body; without a job, as in an ordinary run of the tests, there is nothing to do.
pub(crate) fn worker(shared: &dyn Shared) {
    let Some(job) = Job::from_environment() else {
        return;
    };
    let store = shared.open(&job.folder);
    println!("ready");
    std::io::stdin().read_line(&mut String::new()).unwrap();
    let begin = std::time::Instant::now();
    for number in 0..job.adds {
        let address = add(&*store, &job.name, number).unwrap();
        // One write, so that a kill leaves a whole line or none.
        std::io::stdout()
            .write_all(format!("ack {address}\n").as_bytes())
            .unwrap();
    }
    println!("done {}", begin.elapsed().as_secs_f64());
}
