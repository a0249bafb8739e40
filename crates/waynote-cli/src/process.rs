//! Processes, named for good: by their number and by when they were started.

/// A process, named for good.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) pid: u32,
    pub(crate) start: u64,
}

impl Process {
    /// The process that started this one, if that can be told.
    pub(crate) fn parent() -> Option<Self> {
        Self::above().into_iter().next()
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
