//! Processes, by number and start, and their state in `/proc`: the one module that knows its format. (The library
//! itself reads a store's locks in `/proc/locks`.)
//!
//! Only Linux has `/proc`. Other systems tell nothing of a process beside its number.

use std::io;

/// Programs that only run another one.
const SHELLS: [&str; 14] = [
    "sh", "bash", "dash", "zsh", "fish", "ash", "ksh", "busybox", "env", "timeout", "nice",
    "nohup", "setsid", "stdbuf",
];

/// A process by its number and its start: the number alone is reused later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its number.
    pub pid: u32,
    /// When it was started, in ticks since the machine was.
    pub start: u64,
}

impl Process {
    /// The process with that number now.
    pub fn numbered(pid: u32) -> Option<Self> {
        let start = Stat::read(pid)?.start;
        Some(Self { pid, start })
    }

    /// The client that this process runs for, if that can be told: the nearest process above that is no shell, since clients
    /// run commands through shells. The same for a client's hooks and for its server.
    pub fn client() -> Option<Self> {
        let mut above = Self::above();
        let client = above.iter().position(|process| !process.is_shell());
        match client {
            Some(client) => Some(above.swap_remove(client)),
            None => above.pop(),
        }
    }

    /// True if it still runs. One that has ended and that its parent has not asked about yet (a zombie) does not.
    pub fn is_alive(&self) -> bool {
        Stat::read(self.pid).is_some_and(|stat| stat.start == self.start && !stat.has_ended)
    }

    fn is_shell(&self) -> bool {
        let name = std::fs::read_to_string(format!("/proc/{}/comm", self.pid));
        name.is_ok_and(|name| SHELLS.contains(&name.trim_end()))
    }

    /// The processes above this one, the nearest first.
    pub fn above() -> Vec<Self> {
        let mut above = Vec::new();
        let mut next = Stat::read(std::process::id()).map(|stat| stat.parent);
        while let Some(pid @ 2..) = next {
            let Some(stat) = Stat::read(pid) else {
                break;
            };
            above.push(Self {
                pid,
                start: stat.start,
            });
            next = Some(stat.parent);
        }
        above
    }
}

/// The numbers of the processes of a group that have not ended.
///
/// # Errors
/// The system does not list its processes.
pub fn living_of_group(group: i32) -> io::Result<Vec<i32>> {
    let mut living = Vec::new();
    for (pid, stat) in all()? {
        if stat.group == group && !stat.has_ended {
            living.extend(i32::try_from(pid));
        }
    }
    Ok(living)
}

/// The processes below another one that have not ended, but for `spared` and those below it. None where the system does
/// not tell.
pub fn descendants(of: u32, spared: Option<u32>) -> Vec<Process> {
    let mut others = all().unwrap_or_default();
    others.retain(|(pid, _)| Some(*pid) != spared);
    let (mut above, mut below) = (vec![of], Vec::new());
    while let Some(parent) = above.pop() {
        for (pid, stat) in others.iter().filter(|(_, stat)| stat.parent == parent) {
            above.push(*pid);
            if !stat.has_ended {
                below.push(Process {
                    pid: *pid,
                    start: stat.start,
                });
            }
        }
    }
    below
}

/// The groups of the processes that have not ended and were started with this variable. None where the system does not
/// tell.
pub fn groups_with_variable(name: &str, value: &str) -> Vec<i32> {
    let variable = format!("{name}={value}");
    let mut groups = Vec::new();
    for (pid, stat) in all().unwrap_or_default() {
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        let mut variables = environment.split(|byte| *byte == 0);
        if !stat.has_ended && variables.any(|of| of == variable.as_bytes()) {
            groups.push(stat.group);
        }
    }
    groups.sort_unstable();
    groups.dedup();
    groups
}

/// Every process with its state.
fn all() -> io::Result<Vec<(u32, Stat)>> {
    let entries = std::fs::read_dir("/proc")?.flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    Ok(pids
        .filter_map(|pid| Some((pid, Stat::read(pid)?)))
        .collect())
}

/// True if this process was started with a signal ignored.
pub fn ignores(signal: i32) -> bool {
    std::fs::read_to_string("/proc/self/status").is_ok_and(|status| {
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
            .is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
    })
}

/// The kernel's id of this boot of the machine; empty where it has none.
pub fn boot_id() -> String {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    boot.trim().to_owned()
}

/// The PID namespace of this process: the one in which its number counts. None where the system has no such thing.
pub fn namespace() -> Option<u64> {
    use std::os::unix::fs::MetadataExt;
    let namespace = std::fs::metadata("/proc/self/ns/pid").ok()?;
    Some(namespace.ino())
}

/// The line `/proc/PID/stat`.
#[derive(Debug, PartialEq, Eq)]
struct Stat {
    has_ended: bool,
    parent: u32,
    group: i32,
    start: u64,
}

impl Stat {
    fn read(pid: u32) -> Option<Self> {
        Self::parse(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
    }

    /// `PID (NAME) STATE PARENT GROUP …`, the start the 20th behind the name, which may hold blanks and brackets.
    fn parse(line: &str) -> Option<Self> {
        let (_, behind) = line.rsplit_once(')')?;
        let fields: Vec<&str> = behind.split_whitespace().collect();
        Some(Self {
            has_ended: matches!(*fields.first()?, "Z" | "X"),
            parent: fields.get(1)?.parse().ok()?,
            group: fields.get(2)?.parse().ok()?,
            start: fields.get(19)?.parse().ok()?,
        })
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::process::{Command, Stdio};

    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

    use super::*;

    #[test]
    fn a_line_is_read_whatever_the_name() {
        let rest = "1 77 77 0 -1 4194560 94 0 0 0 0 0 0 0 20 0 1 0 8155 2527232";
        let stat = |begin: &str| Stat::parse(&format!("{begin} {rest}"));
        let living = Stat {
            has_ended: false,
            parent: 1,
            group: 77,
            start: 8155,
        };
        assert_eq!(stat("12 (sh) S").as_ref(), Some(&living));
        assert_eq!(stat("12 (a) S 1 78 (b) S").as_ref(), Some(&living));
        assert!(stat("12 (sh) Z").is_some_and(|stat| stat.has_ended));
        assert_eq!(Stat::parse("12 (sh"), None);
        assert_eq!(Stat::parse("12 (sh) S 1 77"), None);
    }

    #[test]
    fn a_process_lives_until_it_ends_also_before_it_is_reaped() {
        let mut child = Command::new("sh")
            .args(["-c", "read line"])
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let process = Process::numbered(child.id()).unwrap();
        assert!(process.is_alive());
        let another = Process {
            start: process.start + 1,
            ..process
        };
        assert!(!another.is_alive());
        drop(child.stdin.take());
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        waitid(WaitId::Pid(Pid::from_child(&child)), options).unwrap();
        assert!(!process.is_alive(), "a zombie");
        child.wait().unwrap();
        assert!(!process.is_alive());
    }

    #[test]
    fn the_living_of_a_group_are_listed() {
        use std::os::unix::process::CommandExt;

        let mut child = Command::new("sh")
            .args(["-c", "read line"])
            .stdin(Stdio::piped())
            .process_group(0)
            .spawn()
            .unwrap();
        let group = i32::try_from(child.id()).unwrap();
        assert_eq!(living_of_group(group).unwrap(), [group]);
        drop(child.stdin.take());
        child.wait().unwrap();
        assert!(living_of_group(group).unwrap().is_empty());
    }

    #[test]
    fn ignored_signals_are_known() {
        // Rust's runtime ignores this one.
        assert!(ignores(signal_hook::consts::SIGPIPE));
        // `nohup` and scripts ignore other signals, but never this one.
        assert!(!ignores(signal_hook::consts::SIGUSR2));
    }
}
