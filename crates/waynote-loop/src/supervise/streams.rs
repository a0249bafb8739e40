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

#[cfg(test)]
mod tests {
    use std::io::pipe;

    use super::*;

    #[test]
    fn what_is_in_the_pipe_is_read_though_it_stays_open() {
        let (from, mut to) = pipe().unwrap();
        let (stop, stopper) = pipe().unwrap();
        to.write_all(b"all of this").unwrap();
        drop(stopper);
        let mut seen = Vec::new();
        pump(from, &stop, |bytes| seen.extend_from_slice(bytes));
        assert_eq!(seen, b"all of this");
        assert_eq!(
            to.write_all(b"x").unwrap_err().kind(),
            io::ErrorKind::BrokenPipe
        );
    }

    #[test]
    fn one_that_never_stops_writing_is_left_all_the_same() {
        let (from, mut to) = pipe().unwrap();
        let (stop, stopper) = pipe().unwrap();
        let writer = std::thread::spawn(move || while to.write_all(&[b'y'; 4096]).is_ok() {});
        let mut stopper = Some(stopper);
        let mut read = 0;
        pump(from, &stop, |bytes| {
            read += bytes.len();
            if read > 1_000_000 {
                stopper = None;
            }
        });
        writer.join().unwrap();
        assert!(read > 1_000_000);
    }

    #[test]
    fn a_reader_that_does_not_read_is_left() {
        let (from, to) = pipe().unwrap();
        let (stop, stopper) = pipe().unwrap();
        let feeder = std::thread::spawn(move || feed(to, &stop, &vec![0; 1_000_000]));
        drop(stopper);
        feeder.join().unwrap();
        drop(from);
    }

    #[test]
    fn a_reader_that_closes_is_no_error() {
        let (from, to) = pipe().unwrap();
        let (stop, _stopper) = pipe().unwrap();
        drop(from);
        feed(to, &stop, b"nobody reads this");
    }

    #[test]
    fn all_is_fed() {
        let (mut from, to) = pipe().unwrap();
        let (stop, _stopper) = pipe().unwrap();
        let text: Vec<u8> = (0..1_000_000_u32).map(|number| number as u8).collect();
        let all = text.clone();
        let feeder = std::thread::spawn(move || feed(to, &stop, &all));
        let mut seen = Vec::new();
        from.read_to_end(&mut seen).unwrap();
        feeder.join().unwrap();
        assert!(seen == text);
    }
}
