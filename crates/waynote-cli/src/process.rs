//! Processes, named for good: by their number and by when they were started.

/// Programs that only run another one.
const SHELLS: [&str; 14] = [
    "sh", "bash", "dash", "zsh", "fish", "ash", "ksh", "busybox", "env", "timeout", "nice",
    "nohup", "setsid", "stdbuf",
];

/// A process, named for good.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) pid: u32,
    pub(crate) start: u64,
}

impl Process {
    /// The client that this process runs for, if that can be told: the nearest process above that is no shell, since clients
    /// run commands through shells. The same for a client's hooks and for its server.
    pub(crate) fn client() -> Option<Self> {
        let mut above = Self::above();
        let client = above.iter().position(|process| !process.is_shell());
        match client {
            Some(client) => Some(above.swap_remove(client)),
            None => above.pop(),
        }
    }

    /// Whether it still runs.
    pub(crate) fn is_alive(&self) -> bool {
        parent_and_start(&self.pid.to_string()).is_some_and(|(_, start)| start == self.start)
    }

    fn is_shell(&self) -> bool {
        let name = std::fs::read_to_string(format!("/proc/{}/comm", self.pid));
        name.is_ok_and(|name| SHELLS.contains(&name.trim_end()))
    }

    /// The processes above this one, the nearest first.
    pub(crate) fn above() -> Vec<Self> {
        let mut above = Vec::new();
        let mut next = parent_and_start("self").map(|(parent, _)| parent);
        while let Some(pid @ 2..) = next {
            let Some((parent, start)) = parent_and_start(&pid.to_string()) else {
                break;
            };
            above.push(Self { pid, start });
            next = Some(parent);
        }
        above
    }
}

/// The number of a process's parent, and when the process was started. Read from where the kernel says it; other systems do not.
pub(crate) fn parent_and_start(pid: &str) -> Option<(u32, u64)> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name before may hold anything.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    Some((fields.get(1)?.parse().ok()?, fields.get(19)?.parse().ok()?))
}

/// Whether a process has ended, and only waits for its parent to ask how (a zombie).
pub(crate) fn has_ended(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit_once(')').map(|(_, rest)| rest.trim_start());
    state.is_some_and(|state| state.starts_with(['Z', 'X']))
}
