//! The lines of a request's head. HTTP lets a server take LF alone for the end of a line, and hyper does. A proxy that
//! does not sees another request than this server, so such a request is refused.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::http::Request;

use crate::problem::Problem;

/// True once a head had such a line. It is an extension of the requests of a connection.
#[derive(Clone, Default)]
pub(crate) struct BareLines(Arc<AtomicBool>);

/// Refuses a request from a connection on which a line ended in LF alone.
pub(super) fn check<B>(request: &Request<B>) -> Result<(), Problem> {
    match request.extensions().get::<BareLines>() {
        Some(BareLines(has)) if has.load(Ordering::Relaxed) => Err(Problem::bad_request(
            "a line of the request's head ends in LF alone",
        )
        .hint("end each line with CR LF")),
        _ => Ok(()),
    }
}

impl BareLines {
    /// Looks at what a client sends, in the order in which it comes.
    pub(crate) fn looks(&self) -> impl FnMut(&[u8]) + Send + use<> {
        let (found, mut reader) = (self.clone(), HeadReader::default());
        move |bytes| {
            if bytes.iter().any(|byte| reader.next(*byte)) {
                found.0.store(true, Ordering::Relaxed);
            }
        }
    }
}

/// Tells the heads of requests from their bodies.
#[derive(Default)]
struct HeadReader {
    part: Part,
    /// The line so far.
    line: Vec<u8>,
    /// The length of the body that follows.
    length: u64,
    is_chunked: bool,
}

#[derive(Clone, Copy, Default, PartialEq)]
enum Part {
    /// Before a request: empty lines count for nothing.
    #[default]
    Between,
    Head,
    Body,
    /// The size of a chunk.
    Size,
    /// A chunk, with the end of its line.
    Chunk,
    Trailer,
    /// It is not known where the next request begins.
    Unknown,
}

impl HeadReader {
    /// No client sends longer lines.
    const MOST: usize = 64 << 10;

    /// Takes a byte. True if it ends a line without CR, or if it cannot be told any more where lines end.
    fn next(&mut self, byte: u8) -> bool {
        match self.part {
            Part::Unknown => return true,
            Part::Body | Part::Chunk => {
                self.length -= 1;
                if self.length == 0 {
                    self.part = if self.part == Part::Body {
                        Part::Between
                    } else {
                        Part::Size
                    };
                }
                return false;
            }
            _ if byte != b'\n' => {
                self.line.push(byte);
                if self.line.len() > Self::MOST {
                    self.part = Part::Unknown;
                }
                return self.part == Part::Unknown;
            }
            _ => {}
        }
        let mut line = std::mem::take(&mut self.line);
        if line.pop() != Some(b'\r') {
            self.part = Part::Unknown;
            return true;
        }
        self.part = self
            .after(&String::from_utf8_lossy(&line))
            .unwrap_or(Part::Unknown);
        self.part == Part::Unknown
    }

    /// The part after a line.
    fn after(&mut self, line: &str) -> Option<Part> {
        Some(match (self.part, line) {
            (Part::Between, "") => Part::Between,
            (Part::Between, _) => {
                (self.length, self.is_chunked) = (0, false);
                Part::Head
            }
            (Part::Head, "") if self.is_chunked => Part::Size,
            (Part::Head, "") if self.length > 0 => Part::Body,
            (Part::Head | Part::Trailer, "") => Part::Between,
            (Part::Head, line) => {
                let (name, value) = line.split_once(':')?;
                if name.eq_ignore_ascii_case("content-length") {
                    self.length = value.trim().parse().ok()?;
                } else if name.eq_ignore_ascii_case("transfer-encoding") {
                    self.is_chunked = true;
                }
                Part::Head
            }
            (Part::Size, line) => {
                let size = line.split(';').next().unwrap_or_default().trim();
                match u64::from_str_radix(size, 16).ok()? {
                    0 => Part::Trailer,
                    size => {
                        self.length = size.checked_add(2)?;
                        Part::Chunk
                    }
                }
            }
            (part, _) => part,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_heads_end_in_cr_lf_and_bodies_hold_anything() {
        let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
        let sized = "POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\n\n\n\n";
        let chunked = "POST / HTTP/1.1\r\nTRANSFER-ENCODING: chunked\r\n\r\n\
                       B;x=y\r\n0\n\n\r\n\r\n6789\r\n1\r\n\n\r\n0\r\nLast: 1\r\n\r\n";
        let bare = "GET / HTTP/1.1\nHost: a\r\n\r\n";
        let late = "GET / HTTP/1.1\r\nHost: a\r\n\n";
        for (text, expected) in [
            (get.to_owned(), false),
            (format!("\r\n{sized}\r\n{chunked}{sized}{get}"), false),
            (bare.to_owned(), true),
            (late.to_owned(), true),
            (
                format!("GET / HTTP/1.1\r\nX: {}\r\n", "x".repeat(70_000)),
                true,
            ),
            (format!("{get}{bare}"), true),
            (format!("{sized}{bare}"), true),
            (format!("{chunked}{late}"), true),
            // It cannot be told where the next request begins.
            (
                format!("POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n{bare}"),
                true,
            ),
        ] {
            // However it is cut into pieces.
            for size in [1, 7, text.len()] {
                let lines = BareLines::default();
                let mut looks = lines.looks();
                text.as_bytes().chunks(size).for_each(&mut looks);
                assert_eq!(lines.0.load(Ordering::Relaxed), expected, "{size} {text:?}");
            }
        }
    }
}
