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
    let stat = stat(pid)?;
    let mut fields = fields(&stat).skip(1);
    Some((fields.next()?.parse().ok()?, fields.nth(17)?.parse().ok()?))
}

/// Whether a process has ended, and only waits for its parent to ask how (a zombie).
pub(crate) fn has_ended(pid: u32) -> bool {
    stat(&pid.to_string()).is_some_and(|stat| fields(&stat).next().is_some_and(is_end))
}

/// What the kernel says of a process in one line.
fn stat(pid: &str) -> Option<String> {
    std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()
}

/// The fields of a line of `/proc/PID/stat` behind the name, which may hold blanks and brackets: the state, the parent, the
/// group; the 20th is when it was started.
pub(crate) fn fields(stat: &str) -> impl Iterator<Item = &str> {
    let behind = stat.rsplit_once(')').map_or("", |(_, behind)| behind);
    behind.split_whitespace()
}

/// Whether a state is that of a process that has ended.
pub(crate) fn is_end(state: &str) -> bool {
    matches!(state, "Z" | "X")
}
