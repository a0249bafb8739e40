//! An agent's three streams, each with a thread of its own that never outlives the agent by long.
//!
//! A pipe may stay open long after the agent, because a process that it started may hold it. So the threads do not only
//! wait for the pipe's end, but also for a request to stop; what is in the pipe at that moment is still read.

use std::io::{self, PipeReader, Read, Write};
use std::os::fd::AsFd;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::{Errno, ioctl_fionread};

/// The most bytes of one read: the size of a pipe.
const CHUNK: usize = 64 * 1024;

/// Reads until the end. When the other end of `stop` is closed, it reads what is there and returns.
pub(super) fn pump(mut from: impl Read + AsFd, stop: &PipeReader, mut each: impl FnMut(&[u8])) {
    let mut buffer = vec![0; CHUNK];
    let mut left: Option<u64> = None;
    while left != Some(0) {
        if left.is_none() && ready(&from, PollFlags::IN, stop) == NextStep::Stop {
            left = Some(ioctl_fionread(&from).unwrap_or(0));
            continue;
        }
        let most = left.map_or(CHUNK, |left| {
            usize::try_from(left).unwrap_or(CHUNK).min(CHUNK)
        });
        match from.read(&mut buffer[..most]) {
            Ok(0) => return,
            Ok(read) => {
                each(&buffer[..read]);
                left = left.map(|left| left - read as u64);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

/// Writes all of it, or as much as the reader takes before it closes, or before the other end of `stop` is closed.
pub(super) fn feed(mut to: impl Write + AsFd, stop: &PipeReader, mut bytes: &[u8]) {
    // Makes our end alone non-blocking: the agent's keeps waiting for input.
    let flags = fcntl_getfl(&to).unwrap_or(OFlags::empty());
    if fcntl_setfl(&to, flags | OFlags::NONBLOCK).is_err() {
        return;
    }
    while !bytes.is_empty() {
        match to.write(bytes) {
            Ok(written) => bytes = &bytes[written..],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                if ready(&to, PollFlags::OUT, stop) == NextStep::Stop {
                    return;
                }
            }
            Err(_) => return,
        }
    }
}

#[derive(PartialEq, Eq)]
enum NextStep {
    Go,
    Stop,
}

/// Waits until a stream can go on, or the other end of `stop` is closed.
fn ready(stream: &impl AsFd, what: PollFlags, stop: &PipeReader) -> NextStep {
    let mut both = [PollFd::new(stream, what), PollFd::new(stop, PollFlags::IN)];
    loop {
        match poll(&mut both, None) {
            Ok(_) if !both[1].revents().is_empty() => return NextStep::Stop,
            Ok(_) => return NextStep::Go,
            Err(Errno::INTR) => {}
            Err(_) => return NextStep::Stop,
        }
    }
}
