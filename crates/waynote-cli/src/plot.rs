//! `waynote log plot`: draws a session. Each iteration is a bar of its new notes, stacked by type, with its outcome
//! below.

use std::fmt::Write;

use waynote::EntryType;
use waynote::event::IterationOutcome;
use waynote::session_state::Iteration;

use crate::session_view::{painted, style};

/// Rows of the bars: more notes share a row.
const ROWS: u64 = 10;

/// The width of the axis' numbers and its line.
const MARGIN: usize = 6;

/// Columns of a bar where there is room.
const WIDEST: usize = 3;

/// The types from the bottom up, in the order of the legend; the types of other programs are last.
const TYPES: [(&str, char); 5] = [
    ("stuck", 's'),
    ("learning", 'l'),
    ("tip", 't'),
    ("decision", 'd'),
    ("other", 'o'),
];

/// One iteration, or several that share a bar.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Bar {
    counts: [u64; TYPES.len()],
    /// Its place in [`ENDS`].
    end: usize,
}

/// How iterations ended, of several the worst: its mark below a bar, and its word. The first is for those that no loop
/// ran.
const ENDS: [(char, &str); 6] = [
    (' ', ""),
    ('.', "done"),
    ('?', "asked"),
    ('>', "running"),
    ('!', "interrupted or lost"),
    ('x', "failed"),
];

fn end_of(of: &Iteration) -> usize {
    match of.outcome {
        None => 3,
        Some(_) if of.is_blocked => 2,
        Some(IterationOutcome::Interrupted | IterationOutcome::Lost) => 4,
        Some(outcome) if outcome.is_success() => 1,
        Some(_) => 5,
    }
}

/// The iterations to draw, as bars.
#[derive(Default)]
pub(crate) struct Plot {
    first: i64,
    bars: Vec<Bar>,
}

impl Plot {
    /// Of a session's iterations, and of the type and the iteration of each entry; entries of no iteration are not in
    /// it.
    pub(crate) fn new(
        iterations: &[Iteration],
        entries: impl Iterator<Item = (EntryType, i64)>,
    ) -> Self {
        let entries: Vec<(EntryType, i64)> = entries.collect();
        let numbers = iterations.iter().map(|of| of.number);
        let numbers: Vec<i64> = numbers.chain(entries.iter().map(|(_, of)| *of)).collect();
        let (Some(first), Some(last)) = (numbers.iter().min(), numbers.iter().max()) else {
            return Self::default();
        };
        // An entry may name any iteration; a drawing of all before it would be of nothing.
        const MOST: i64 = 100_000;
        let first = (*first).max(last.saturating_sub(MOST));
        let place = |number: i64| usize::try_from(number.checked_sub(first)?).ok();
        let mut bars = vec![Bar::default(); place(*last).unwrap_or(0) + 1];
        for of in iterations {
            if let Some(bar) = place(of.number).and_then(|place| bars.get_mut(place)) {
                bar.end = end_of(of);
            }
        }
        for (kind, number) in entries {
            let of = TYPES.iter().position(|(word, _)| *word == kind.as_str());
            if let Some(bar) = place(number).and_then(|place| bars.get_mut(place)) {
                bar.counts[of.unwrap_or(TYPES.len() - 1)] += 1;
            }
        }
        Self { first, bars }
    }

    /// In so many columns.
    pub(crate) fn draw(&self, width: usize, colour: bool) -> String {
        if self.bars.is_empty() {
            return String::new();
        }
        let room = width.saturating_sub(MARGIN).max(1);
        let share = self.bars.len().div_ceil(room);
        let bars: Vec<Bar> = self.bars.chunks(share).map(together).collect();
        let cell = (room / bars.len()).clamp(1, WIDEST);
        let total = |bar: &Bar| bar.counts.iter().sum::<u64>();
        let highest = bars.iter().map(total).max().unwrap_or(0);
        let step = highest.div_ceil(ROWS).max(1);
        let mut text = String::new();
        for row in (0..highest.div_ceil(step)).rev() {
            let _ = write!(text, "{:>4} │", (row + 1) * step);
            let mut line = String::new();
            for bar in &bars {
                line.push_str(&block(kind_at(bar, row * step), cell, colour));
            }
            let _ = writeln!(text, "{}", line.trim_end());
        }
        let _ = writeln!(text, "     └{}", "─".repeat(bars.len() * cell));
        if bars.iter().any(|bar| bar.end > 0) {
            let marks = bars.iter().map(|bar| format!("{:<cell$}", ENDS[bar.end].0));
            let _ = writeln!(
                text,
                "{}",
                format!("      {}", marks.collect::<String>()).trim_end()
            );
        }
        let _ = writeln!(text, "      {}", self.axis(&bars, share, cell));
        text.push('\n');
        text.push_str(&legend(&bars, step, share, colour));
        text
    }

    /// The first number, the last, and some between as far as there is room.
    fn axis(&self, bars: &[Bar], share: usize, cell: usize) -> String {
        const EVERY: usize = 10;
        let number = |index: usize| {
            let offset = i64::try_from(index * share).unwrap_or(i64::MAX);
            format!("#{}", self.first.saturating_add(offset))
        };
        let mut line = String::new();
        for index in 0..bars.len() {
            let column = index * cell;
            let is_apart = line.is_empty() || column >= line.chars().count() + 2;
            let is_due = index == 0 || index % EVERY == 0 || (cell == WIDEST && index % 5 == 0);
            if is_apart && is_due {
                line = format!("{line:<column$}{}", number(index));
            }
        }
        line
    }
}

/// A bar each, with its iteration's number and how many notes of each type it has.
impl serde::Serialize for Plot {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.bars.iter().zip(self.first..).map(|(bar, number)| {
            let counts = TYPES.iter().map(|(word, _)| *word).zip(bar.counts);
            let mut value = serde_json::Map::from_iter(
                counts.map(|(word, count)| (word.to_owned(), count.into())),
            );
            value.insert("iteration".into(), number.into());
            value
        }))
    }
}

/// Iterations that share a bar.
fn together(bars: &[Bar]) -> Bar {
    let mut sum = Bar::default();
    for bar in bars {
        for (sum, count) in sum.counts.iter_mut().zip(bar.counts) {
            *sum += count;
        }
        sum.end = sum.end.max(bar.end);
    }
    sum
}

/// The type of the note at that height in a bar.
fn kind_at(bar: &Bar, height: u64) -> Option<usize> {
    let mut below = 0;
    bar.counts.iter().position(|count| {
        below += count;
        height < below
    })
}

/// A part of a bar: a coloured block, or the type's letter; one column stays free where there is room.
fn block(kind: Option<usize>, cell: usize, colour: bool) -> String {
    let filled = cell.saturating_sub(1).max(1);
    let gap = " ".repeat(cell - filled);
    match kind {
        None => " ".repeat(cell),
        Some(kind) if colour => format!("{}{gap}", in_colour(kind, &"█".repeat(filled))),
        Some(kind) => format!("{}{gap}", TYPES[kind].1.to_string().repeat(filled)),
    }
}

fn in_colour(kind: usize, text: &str) -> String {
    painted(text, style(&EntryType::imported(TYPES[kind].0)), true)
}

/// The legend: the blocks and marks that occur, and the scale of a row and of a bar.
fn legend(bars: &[Bar], step: u64, share: usize, colour: bool) -> String {
    let mut parts = Vec::new();
    for (kind, (word, letter)) in TYPES.iter().enumerate() {
        if bars.iter().any(|bar| bar.counts[kind] > 0) {
            parts.push(match colour {
                true => format!("{} {word}", in_colour(kind, "█")),
                false => format!("{letter} {word}"),
            });
        }
    }
    for (end, (mark, word)) in ENDS.iter().enumerate().skip(1) {
        if bars.iter().any(|bar| bar.end == end) {
            parts.push(format!("{mark} {word}"));
        }
    }
    let mut text = format!("{}\n", parts.join("   "));
    let mut scale = Vec::new();
    if step > 1 {
        scale.push(format!("a row is {step} notes"));
    }
    if share > 1 {
        scale.push(format!("a bar is {share} iterations, marked by the worst"));
    }
    if !scale.is_empty() {
        let _ = writeln!(text, "{}", scale.join("; "));
    }
    text
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;

    use super::*;

    fn iteration(number: i64, outcome: Option<IterationOutcome>) -> Iteration {
        Iteration {
            number,
            started_at: jiff::Timestamp::UNIX_EPOCH,
            duration: None,
            outcome,
            attempts: 1,
            notes_added: 0,
            said: None,
            is_blocked: number == 6,
            author: "person".parse().unwrap(),
            block: None,
        }
    }

    const DONE: Option<IterationOutcome> = Some(IterationOutcome::Exited { code: 0 });

    /// A session of so many iterations, each with some notes.
    fn session(count: i64) -> Plot {
        let outcome = |number: i64| match number {
            4 => Some(IterationOutcome::Exited { code: 1 }),
            7 => Some(IterationOutcome::Lost),
            _ if number == count && count > 8 => None,
            _ => DONE,
        };
        let iterations: Vec<_> = (1..=count)
            .map(|number| iteration(number, outcome(number)))
            .collect();
        let entries = (1..=count).flat_map(|number| {
            (0..number % 5).map(move |note| {
                let kind = EntryType::ALL[usize::try_from((note + number) % 4).unwrap()].clone();
                (kind, number)
            })
        });
        Plot::new(&iterations, entries)
    }

    #[test]
    fn a_night_of_twelve_iterations() {
        assert_snapshot!(session(12).draw(80, false), @"
           4 │         dd             dd
           3 │      dd tt          tt tt
           2 │   dd ll ll       dd ll ll       ll
           1 │ll tt ss ss    tt ss ss ss    dd ss
             └────────────────────────────────────
              .  .  .  x  .  ?  !  .  .  .  .  >
              #1             #6             #11

        s stuck   l learning   t tip   d decision   . done   ? asked   > running   ! interrupted or lost   x failed
        ");
        assert_snapshot!(session(12).draw(40, false), @"
           4 │      d         d
           3 │    d t       t t
           2 │  d l l     d l l     l
           1 │l t s s   t s s s   d s
             └────────────────────────
              . . . x . ? ! . . . . >
              #1                  #11

        s stuck   l learning   t tip   d decision   . done   ? asked   > running   ! interrupted or lost   x failed
        ");
    }

    #[test]
    fn one_none_and_notes_without_a_loop() {
        assert_eq!(Plot::new(&[], std::iter::empty()).draw(80, false), "");
        assert_snapshot!(Plot::new(&[iteration(3, DONE)], std::iter::empty()).draw(80, false), @"
             └───
              .
              #3

        . done
        ");
        let entries = [
            (EntryType::Tip, 2),
            (EntryType::imported("warning"), 2),
            (EntryType::Stuck, 4),
        ];
        assert_snapshot!(Plot::new(&[], entries.into_iter()).draw(80, false), @"
           2 │oo
           1 │tt    ss
             └─────────
              #2

        s stuck   t tip   o other
        ");
    }

    #[test]
    fn many_share_bars_and_rows() {
        assert_snapshot!(session(100).draw(80, false), @"
           7 │ d    d    d    d    d    d    d    d    d    d
           6 │ d    d    d    d    d    d    d    d    d    d
           5 │ t d  t d  t d  t d  t d  t d  t d  t d  t d  t d
           4 │ l td t td l td t td l td t td l td t td l td t td
           3 │dl ltdl ttdl ltdl ttdl ltdl ttdl ltdl ttdl ltdl tt
           2 │ts slll llts slll llts slll llts slll llts slll ll
           1 │lstssssssslstssssssslstssssssslstssssssslstsssssss
             └──────────────────────────────────────────────────
              .x?!.............................................>
              #1        #21       #41       #61       #81

        s stuck   l learning   t tip   d decision   . done   ? asked   > running   ! interrupted or lost   x failed
        a bar is 2 iterations, marked by the worst
        ");
        assert_snapshot!(session(10_000).draw(40, false), @"
         590 │ddddddddddddddddddddddddddddddddd
         531 │dddddddddddddddddddddddddddddddddd
         472 │tttttttttttttttttttttttttttttttttd
         413 │tttttttttttttttttttttttttttttttttt
         354 │tttttttttttttttttttttttttttttttttt
         295 │llllllllllllllllllllllllllllllllll
         236 │llllllllllllllllllllllllllllllllll
         177 │ssssssssssssssssssssssssssssssssss
         118 │ssssssssssssssssssssssssssssssssss
          59 │ssssssssssssssssssssssssssssssssss
             └──────────────────────────────────
              x................................>
              #1        #2951     #5901     #8851

        s stuck   l learning   t tip   d decision   . done   > running   x failed
        a row is 59 notes; a bar is 295 iterations, marked by the worst
        ");
    }

    #[test]
    fn with_colour_types_are_blocks() {
        let text = session(3).draw(80, true);
        assert!(text.contains("\u{1b}[31m██\u{1b}[0m"), "{text:?}");
        assert!(text.contains("\u{1b}[32m█\u{1b}[0m learning"), "{text:?}");
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(48))]
        #[test]
        fn it_keeps_to_its_width_and_never_fails(count in 0_i64..400, width in 0_usize..200, far in proptest::num::i64::ANY) {
            let iterations: Vec<_> = (1..=count).map(|number| iteration(number, DONE)).collect();
            let entries = (1..=count).map(|number| (EntryType::Tip, number)).chain([(EntryType::Stuck, far)]);
            let text = Plot::new(&iterations, entries).draw(width, false);
            let widest = text.lines().take_while(|line| !line.is_empty()).map(|line| line.trim_end().chars().count()).max();
            let most = width.max(MARGIN + 1) + "#-9223372036854775808".len();
            proptest::prop_assert!(widest.unwrap_or(0) <= most, "{:?} of {}", widest, width);
        }
    }
}
