//! The fields of a front matter, with the bytes that each takes up.

use saphyr_parser::{Event, Parser, StrInput};

/// How deep values may be nested.
const MAX_DEPTH: usize = 16;

/// A value of YAML.
pub(super) enum Value {
    Scalar(String),
    List(Vec<Self>),
    Map(Vec<(Self, Self)>),
}

/// The fields in their order: where the lines of each begin, its name and its value. None if it is no mapping in which
/// each field begins a line.
pub(super) fn fields(head: &str) -> Option<Vec<(usize, String, Value)>> {
    let mut events = Events(Parser::new_from_str(head));
    let mut fields: Vec<(usize, String, Value)> = Vec::new();
    let (mut line, mut offset) = (1, 0);
    let mut lines = head.split_inclusive('\n');
    events
        .next()
        .filter(|(event, ..)| *event == Event::StreamStart)?;
    match events.next()?.0 {
        Event::StreamEnd => return Some(fields),
        Event::DocumentStart(_) => {}
        _ => return None,
    }
    match events.next()?.0 {
        Event::MappingStart(..) => {}
        // Comments alone.
        Event::Scalar(text, ..) if text.is_empty() || text == "~" => return Some(fields),
        _ => return None,
    }
    loop {
        let (event, at, column) = events.next()?;
        let Event::Scalar(name, ..) = event else {
            let is_end = event == Event::MappingEnd && events.next()?.0 == Event::DocumentEnd;
            return (is_end && events.next()?.0 == Event::StreamEnd).then_some(fields);
        };
        while line < at {
            offset += lines.next()?.len();
            line += 1;
        }
        if column != 0 || fields.last().is_some_and(|(last, ..)| *last == offset) {
            return None;
        }
        let first = events.next()?.0;
        fields.push((offset, name.into_owned(), events.value(first, 0)?));
    }
}

struct Events<'t>(Parser<'t, StrInput<'t>>);

impl<'t> Events<'t> {
    /// The next one, with its line from 1 and its column from 0.
    fn next(&mut self) -> Option<(Event<'t>, usize, usize)> {
        let (event, span) = self.0.next()?.ok()?;
        Some((event, span.start.line(), span.start.col()))
    }

    /// The value that begins with an event. An alias is none: few bytes of them stand for any amount of text.
    fn value(&mut self, first: Event<'t>, depth: usize) -> Option<Value> {
        if depth > MAX_DEPTH {
            return None;
        }
        match first {
            Event::Scalar(text, ..) => Some(Value::Scalar(text.into_owned())),
            Event::SequenceStart(..) => {
                let mut each = Vec::new();
                loop {
                    match self.next()?.0 {
                        Event::SequenceEnd => return Some(Value::List(each)),
                        first => each.push(self.value(first, depth + 1)?),
                    }
                }
            }
            Event::MappingStart(..) => {
                let mut each = Vec::new();
                loop {
                    let name = match self.next()?.0 {
                        Event::MappingEnd => return Some(Value::Map(each)),
                        first => self.value(first, depth + 1)?,
                    };
                    let first = self.next()?.0;
                    each.push((name, self.value(first, depth + 1)?));
                }
            }
            _ => None,
        }
    }
}
