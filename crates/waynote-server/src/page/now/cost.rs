//! How many tokens the block had at the end of each of the last days, as a plot with an area for each section.

use jiff::civil::{Date, Time};
use jiff::tz::Offset;
use jiff::{Timestamp, ToSpan};
use maud::{Markup, html};
use waynote::context::{Receipt, Request, render};
use waynote::store::{AsOf, Reader};
use waynote::{Error, Result};

use super::view::{LABELS, SECTIONS, class};
use super::{Step, Typed, request};
use crate::page::site::Site;
use crate::page::words::size;

/// The days of the plot, and today.
const DAYS: i32 = 30;

const WIDTH: usize = 720;
const TOP: usize = 2;
const BASE: usize = 130;

/// The block at the end of a day.
#[derive(Clone)]
pub(crate) struct Day {
    date: Date,
    /// The tokens of each section, in the order of [`SECTIONS`]; then those of headings.
    tokens: [usize; 5],
    budget: usize,
}

impl Day {
    fn of(date: Date, receipt: &Receipt) -> Self {
        let of = |section| {
            let claims = receipt.claims.iter();
            let claims = claims.filter(|claim| claim.section == section);
            claims.map(|claim| claim.tokens).sum()
        };
        let [pinned, places, iterations, index] = SECTIONS.map(of);
        let rest = receipt.headings + receipt.last_line;
        Self {
            date,
            tokens: [pinned, places, iterations, index, rest],
            budget: receipt.budget,
        }
    }

    fn all(&self) -> usize {
        self.tokens.iter().sum()
    }
}

/// The days, oldest first. Between two changes, the block of the day before is taken.
pub(super) fn days(
    store: &dyn Reader,
    typed: &Typed,
    steps: &[Step],
    site: &Site<'_>,
) -> Result<Vec<Day>> {
    let (request, now): (Request, _) = (request(typed, site)?, site.now);
    let date = |time: Timestamp| Offset::UTC.to_datetime(time).date();
    let changed: Vec<Date> = steps.iter().map(|step| date(step.time)).collect();
    let mut days: Vec<Day> = Vec::new();
    for ago in (0..=DAYS).rev() {
        let date = date(now).saturating_sub(ago.days());
        // The changes that were read begin with the first.
        let is_same =
            changed.first().is_some_and(|first| *first < date) && !changed.contains(&date);
        let day = match days.last().filter(|_| is_same) {
            Some(before) => Day {
                date,
                ..before.clone()
            },
            None => {
                let end = date.saturating_add(1.day()).to_datetime(Time::midnight());
                let end = Offset::UTC.to_timestamp(end).unwrap_or(now);
                let before = end.checked_sub(1.microsecond()).unwrap_or(end);
                let at = AsOf::Time(before.min(now));
                Day::of(date, &render(store, &request.clone().as_of(at))?.receipt)
            }
        };
        days.push(day);
    }
    Ok(days)
}

pub(super) fn view(days: &Result<Vec<Day>, Error>) -> Markup {
    let Ok([first, .., last]) = days.as_deref() else {
        return html! {};
    };
    let days = days.as_deref().unwrap_or_default();
    let most = days.iter().map(Day::all).chain([last.budget, 1]);
    let most = most.max().unwrap_or(1);
    let y = |tokens: usize| BASE - tokens * (BASE - TOP) / most;
    // An area lies between the sum of the sections below it and that with its own.
    let area = |section: usize| {
        let point = |index: usize, sections: usize| {
            let sum: usize = days[index].tokens[..sections].iter().sum();
            format!("{},{}", index * WIDTH / (days.len() - 1), y(sum))
        };
        let above = (0..days.len()).map(|index| point(index, section + 1));
        let below = (0..days.len()).rev().map(|index| point(index, section));
        above.chain(below).collect::<Vec<_>>().join(" ")
    };
    let class = |section: usize| SECTIONS.get(section).map_or("he", |of| class(*of));
    html! {
        section.card id="cost" {
            header {
                h2 { "Tokens of a start here, over 30 days" } span.grow {}
                small.num { (size(last.all())) " of " (size(last.budget)) " tokens" }
            }
            div.pad {
                svg.cost viewBox={ "0 0 " (WIDTH) " " (BASE) } preserveAspectRatio="none" role="img" aria-label={ "Tokens of the block: " (first.all()) " 30 days ago, " (last.all()) " today" } {
                    @for section in 0..5 { polygon class=(class(section)) points=(area(section)) {} }
                    line x1="0" x2=(WIDTH) y1=(y(last.budget)) y2=(y(last.budget)) {}
                }
                div.head { small { (first.date.strftime("%-d %b")) } span.grow {} small { "today" } }
                div.legend {
                    @for (index, label) in LABELS.iter().enumerate().filter(|(index, _)| last.tokens[*index] > 0) {
                        span { i class=(class(index)) {} (label) " " span.num { (size(last.tokens[index])) } }
                    }
                }
            }
        }
    }
}
