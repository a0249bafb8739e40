//! How many tokens the block of a place had on each of the last days, and which notes were pushed out of it.

use std::collections::HashMap;

use jiff::civil::{Date, Time};
use jiff::tz::Offset;
use jiff::{Timestamp, ToSpan};
use waynote::context::{Receipt, Section, Shown, render};
use waynote::store::AsOf;
use waynote::{Address, Result, Store};

use crate::page::fields::Fields;
use crate::page::now::{self, Now, SECTIONS, Typed};
use crate::page::site::Site;

/// The days of the plot, and today.
const DAYS: i32 = 30;

/// The tokens of the block over time.
pub(super) struct Cost {
    pub(super) typed: Typed,
    /// Oldest first; none if the block could not be made.
    pub(super) days: Vec<Day>,
    /// The latest days on which a note was pushed out, newest first.
    pub(super) pushed: Vec<Pushed>,
}

/// The block at the end of a day.
#[derive(Clone)]
pub(super) struct Day {
    pub(super) date: Date,
    /// The tokens of each section, in the order of [`SECTIONS`]; then those of headings.
    pub(super) tokens: [usize; 5],
    pub(super) budget: usize,
    claims: HashMap<Address, (Shown, usize)>,
}

/// Notes that had less room in a block than the day before: a line, or none.
pub(super) struct Pushed {
    pub(super) date: Date,
    pub(super) out: Vec<Address>,
    /// The note that grew most on that day, and by how many tokens.
    pub(super) grew: Option<(Address, usize)>,
}

impl Cost {
    pub(super) fn gather(store: &dyn Store, fields: &Fields, site: &Site<'_>) -> Result<Self> {
        let Now { typed, times, .. } = Now::gather(store, fields, site)?;
        let changed: Vec<Date> = times.steps.iter().map(|step| date(step.time)).collect();
        let today = date(site.now);
        let mut days: Vec<Day> = Vec::new();
        let Ok(request) = now::request(&typed, site.now) else {
            // The view Now says why.
            let pushed = Vec::new();
            return Ok(Self {
                typed,
                days,
                pushed,
            });
        };
        for ago in (0..=DAYS).rev() {
            let date = today.saturating_sub(ago.days());
            // The changes that were read begin with the first: between them nothing happened.
            let is_same =
                changed.first().is_some_and(|first| *first < date) && !changed.contains(&date);
            let day = match days.last().filter(|_| is_same) {
                Some(before) => Day {
                    date,
                    ..before.clone()
                },
                None => {
                    let end = date.saturating_add(1.day()).to_datetime(Time::midnight());
                    let end = Offset::UTC.to_timestamp(end).unwrap_or(site.now);
                    let before = end.checked_sub(1.microsecond()).unwrap_or(end);
                    let at = AsOf::Time(before.min(site.now));
                    Day::of(date, &render(store, &request.clone().as_of(at))?.receipt)
                }
            };
            days.push(day);
        }
        let pairs = days.windows(2).rev();
        let pushed = pairs.filter_map(|pair| Pushed::between(&pair[0], &pair[1]));
        Ok(Self {
            pushed: pushed.take(3).collect(),
            typed,
            days,
        })
    }
}

fn date(time: Timestamp) -> Date {
    Offset::UTC.to_datetime(time).date()
}

impl Day {
    fn of(date: Date, receipt: &Receipt) -> Self {
        let of = |section: Section| {
            let claims = receipt
                .claims
                .iter()
                .filter(|claim| claim.section == section);
            claims.map(|claim| claim.tokens).sum()
        };
        let [pinned, places, iterations, index] = SECTIONS.map(of);
        let headings = receipt.headings + receipt.last_line;
        let claims = receipt.claims.iter();
        Self {
            date,
            tokens: [pinned, places, iterations, index, headings],
            budget: receipt.budget,
            claims: claims
                .map(|of| (of.address.clone(), (of.shown, of.tokens)))
                .collect(),
        }
    }

    pub(super) fn all(&self) -> usize {
        self.tokens.iter().sum()
    }
}

impl Pushed {
    /// None if every note has at least as much room in the second day's block.
    fn between(before: &Day, after: &Day) -> Option<Self> {
        let rank = |shown| {
            [Shown::LeftOut, Shown::Line, Shown::Whole]
                .iter()
                .position(|of| *of == shown)
        };
        let lost = after.claims.iter().filter(|(of, (shown, _))| {
            let was = before.claims.get(of);
            was.is_some_and(|(was, _)| rank(*was) > rank(*shown))
        });
        let mut out: Vec<Address> = lost.map(|(of, _)| of.clone()).collect();
        out.sort();
        let grown = after.claims.iter().map(|(of, (_, tokens))| {
            let had = before.claims.get(of).map_or(0, |(_, tokens)| *tokens);
            (of.clone(), tokens.saturating_sub(had))
        });
        let grew = grown.max_by_key(|(_, by)| *by).filter(|(_, by)| *by > 0);
        (!out.is_empty()).then_some(Self {
            date: after.date,
            out,
            grew,
        })
    }
}
