//! Now: the block that a run at a place reads at its start, with its receipt, for the present or a time in the past.

mod cost;
mod view;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use waynote::context::{
    Block, Budget, IterationBlock, ReaderTools, Request, Section, Shown, Style, render,
};
use waynote::session_state::{iteration_start, open_question};
use waynote::store::AsOf;
use waynote::visible::visible;
use waynote::{Action, Address, Error, Note, Result, ScopeKind, Store};

use super::fields::{BadField, Fields, iteration};
use super::site::Site;
use cost::Day;

pub(crate) use view::view;

/// The budgets on offer. A larger block needs the command line, not a page.
const LEAST_TOKENS: usize = 100;
const MOST_TOKENS: usize = 8_000;

/// The most changes on the slider.
const STEPS: usize = 240;

/// The most names of a kind that are offered.
const CHOICES: usize = 100;

/// The most notes that the receipt lists.
const MOST_CLAIMS: usize = 150;

/// Everything that the view shows.
pub(crate) struct Now {
    pub(crate) typed: Typed,
    pub(crate) choices: Choices,
    /// The block, or the reason for its absence.
    pub(crate) block: Result<Shows, Error>,
    pub(crate) times: Times,
    /// The recorded block of an iteration, if that was asked for.
    pub(crate) given: Option<Given>,
    /// The tokens of the block over time, if they were asked for.
    pub(crate) cost: Option<Result<Vec<Day>, Error>>,
    /// What the session asks that has been waiting for longest.
    pub(crate) question: Option<String>,
}

/// The recorded block of an iteration.
pub(crate) enum Given {
    /// No block was recorded: an older version ran the iteration.
    NotRecorded,
    /// The block was made again from its record.
    Recorded {
        block: Box<IterationBlock>,
        /// True if it has the recorded hash.
        is_same: bool,
    },
}

/// The request as it stands in the fields.
#[derive(Clone, Debug)]
pub(crate) struct Typed {
    pub(crate) place: String,
    pub(crate) agent: String,
    pub(crate) session: String,
    pub(crate) iteration: String,
    pub(crate) budget: String,
    pub(crate) prompt: String,
    pub(crate) style: Style,
    /// The time in the past, if one was asked for.
    pub(crate) at: Option<Timestamp>,
}

/// Names to choose from.
#[derive(Default)]
pub(crate) struct Choices {
    pub(crate) places: Vec<String>,
    pub(crate) agents: Vec<String>,
    pub(crate) sessions: Vec<String>,
    pub(crate) is_empty: bool,
}

/// A block with the details beside it.
pub(crate) struct Shows {
    pub(crate) block: Block,
    /// The notes of the first claims, for their names and marks.
    pub(crate) notes: Vec<Note>,
}

impl Shows {
    /// The tokens of a section's notes; in style faithful, of the whole section.
    pub(crate) fn tokens(&self, section: Section) -> usize {
        if self.block.style == Style::Faithful {
            let sections = self.block.sections.iter();
            let of_section = sections.filter(|of| of.section == section);
            return of_section
                .map(|of| Budget::default().tokens_of(&of.text))
                .sum();
        }
        let claims = self.block.receipt.claims.iter();
        let of_section = claims.filter(|claim| claim.section == section);
        of_section.map(|claim| claim.tokens).sum()
    }

    /// The number of notes that are shown in this way.
    pub(crate) fn number(&self, shown: Shown) -> usize {
        let claims = self.block.receipt.claims.iter();
        claims.filter(|claim| claim.shown == shown).count()
    }
}

/// The changes on the slider, oldest first.
#[derive(Default)]
pub(crate) struct Times {
    pub(crate) steps: Vec<Step>,
    /// The number of steps before the shown time: all of them for now.
    pub(crate) at: usize,
}

/// A change of a note that the block may show.
pub(crate) struct Step {
    pub(crate) time: Timestamp,
    pub(crate) address: Address,
    /// The note after it, if there is one: for its name.
    pub(crate) note: Option<Note>,
    pub(crate) action: Action,
}

impl Now {
    /// Reads the data for the fields. A missing field gets the value that the server was started with, or else the last
    /// one in the store.
    pub(crate) fn gather(store: &dyn Store, fields: &Fields, site: &Site<'_>) -> Result<Self> {
        let journal = store.journal(None, STEPS)?;
        let last_of = |kind: ScopeKind| {
            let scopes = journal.iter().map(|change| change.address().scope());
            let mut of_kind = scopes.filter(|scope| scope.kind() == kind);
            of_kind.next().map(|scope| scope.name().to_owned())
        };
        let choices = Choices {
            places: site.seen.names(ScopeKind::Place, CHOICES),
            agents: site.seen.names(ScopeKind::Agent, CHOICES),
            sessions: site.seen.names(ScopeKind::Session, CHOICES),
            is_empty: journal.is_empty(),
        };
        let field = |name, kind, otherwise: &str| match (fields.text(name), site.start) {
            (Some(text), _) => text.trim().to_owned(),
            (None, Some(start)) if kind == ScopeKind::Place => start.place.to_string(),
            (None, Some(start)) => start.agent.to_string(),
            (None, None) => last_of(kind).unwrap_or_else(|| otherwise.to_owned()),
        };
        let mut typed = Typed {
            place: field("place", ScopeKind::Place, "~"),
            agent: field("agent", ScopeKind::Agent, "default"),
            session: fields.get("session").unwrap_or_default().to_owned(),
            iteration: fields.get("iteration").unwrap_or_default().to_owned(),
            budget: fields.get("budget").unwrap_or("2000").to_owned(),
            prompt: fields.get("prompt").unwrap_or_default().to_owned(),
            style: fields
                .parsed("style", "a style", "the styles are stable and faithful")?
                .unwrap_or(Style::Stable),
            at: None,
        };
        let start = match fields.has("given") {
            true => start(store, &typed)?,
            false => None,
        };
        if let Some((_, block)) = &start {
            typed.place = block.request.lineage.place().to_string();
            typed.agent = block.request.agent.to_string();
            typed.style = block.request.style;
            typed.budget = block.request.budget.tokens.to_string();
        }
        let request = match &start {
            Some((request, _)) => Ok(request.clone()),
            None => request(&typed, site),
        };
        let mut times = Times::default();
        if let Ok(request) = &request {
            times.steps = steps(&journal, request);
        }
        let asked_time = asked_time(fields, &times.steps);
        typed.at = *asked_time.as_ref().unwrap_or(&None);
        times.at = match typed.at {
            Some(at) => times.steps.partition_point(|step| step.time <= at),
            None => times.steps.len(),
        };
        let (block, given) = match start {
            Some((request, block)) => {
                let made = block.again(store, &request);
                let is_same = made.as_ref().is_ok_and(|(_, is_same)| *is_same);
                let shows = made.and_then(|(block, _)| shows(store, block));
                (shows, Some(Given::Recorded { block, is_same }))
            }
            None => {
                let shows = request.and_then(|request| {
                    let request = request.as_of(asked_time?.map(AsOf::Time));
                    shows(store, render(store, &request)?)
                });
                (shows, fields.has("given").then_some(Given::NotRecorded))
            }
        };
        let cost = fields
            .has("cost")
            .then(|| cost::days(store, &typed, &times.steps, site));
        let question = match site.seen.waiting().first() {
            Some(session) => open_question(store, session)?.map(|of| of.question),
            None => None,
        };
        Ok(Self {
            cost,
            question,
            typed,
            choices,
            block,
            times,
            given,
        })
    }
}

/// The recorded block of the iteration in the fields, and the request for it; none if it was not recorded.
fn start(store: &dyn Store, typed: &Typed) -> Result<Option<(Request, Box<IterationBlock>)>> {
    let (Ok(session), Some(number)) = (typed.session.parse(), iteration(&typed.iteration)?) else {
        return Ok(None);
    };
    let Some((began, Some(block))) = iteration_start(store, &session, number)? else {
        return Ok(None);
    };
    let request = block.request(session, number, began);
    // Its tokens are counted, though style faithful has no budget.
    let is_counted = block.request.style == Style::Faithful;
    Ok(Some((request.explain(is_counted), block)))
}

/// The request that the fields make. It names the tools as the MCP server and the hooks do.
fn request(typed: &Typed, site: &Site<'_>) -> Result<Request> {
    let agent = if typed.agent.is_empty() {
        "default"
    } else {
        &typed.agent
    };
    let place = if typed.place.is_empty() {
        "~"
    } else {
        &typed.place
    };
    let session = match typed.session.as_str() {
        "" => None,
        session => Some(session.parse()?),
    };
    let iteration = iteration(&typed.iteration)?;
    let prompt = (!typed.prompt.is_empty()).then(|| typed.prompt.clone());
    let request = Request::new(agent.parse()?, site.lineage(place.parse()?), site.now)
        .session(session)
        .iteration(iteration)
        .style(typed.style)
        // Its tokens are counted, though style faithful has no budget.
        .explain(typed.style == Style::Faithful)
        .budget(Budget::of(budget(&typed.budget)?))
        .query(prompt)
        .tools(ReaderTools::new("note_show", "note_search"));
    Ok(request)
}

/// The budget that was typed, in tokens.
fn budget(typed: &str) -> Result<usize> {
    let tokens = typed.replace([',', ' '], "").parse().ok();
    let tokens = tokens.filter(|tokens| (LEAST_TOKENS..=MOST_TOKENS).contains(tokens));
    tokens.ok_or_else(|| {
        let says = format!("`{}` is not a budget of this page", visible(typed));
        BadField::new(says, "write a number of tokens from 100 to 8,000").into()
    })
}

/// The changes of notes that the block may show, oldest first.
fn steps(journal: &[waynote::Revision], request: &Request) -> Vec<Step> {
    let scopes = request.scopes_that_apply();
    let mut steps: Vec<Step> = journal
        .iter()
        .filter(|change| scopes.contains(&change.address().scope()))
        .map(|change| Step {
            time: change.recorded_at,
            address: change.address().clone(),
            note: change.note().cloned(),
            action: change.action,
        })
        .collect();
    // The clock may have been set back between two changes.
    steps.sort_by_key(|step| step.time);
    steps
}

/// The time that was asked for: a step of the slider, with the time at its end, or a date; none: now.
fn asked_time(fields: &Fields, steps: &[Step]) -> Result<Option<Timestamp>> {
    const ADVICE: &str = "write a time, for example 2026-05-17T12:00:00Z";
    let time = |name| fields.parsed::<Timestamp>(name, "a time", ADVICE);
    if let Some(when) = fields.parsed::<DateTime>("when", "a time", ADVICE)? {
        let zoned = when.to_zoned(TimeZone::UTC).ok();
        return Ok(zoned.map(|zoned| zoned.timestamp()));
    }
    let (Some(step), Some(of)) = (fields.number("step")?, time("of")?) else {
        return time("at");
    };
    let known = &steps[..steps.partition_point(|step| step.time <= of)];
    let step = usize::try_from(step).unwrap_or(usize::MAX);
    Ok(match (step, known.first()) {
        (_, None) => None,
        (step, _) if step >= known.len() => None,
        (0, Some(first)) => (first.time)
            .checked_sub(jiff::Span::new().microseconds(1))
            .ok(),
        (step, _) => Some(known[step - 1].time),
    })
}

fn shows(store: &dyn Store, block: Block) -> Result<Shows> {
    let claims = block.receipt.claims.iter().take(MOST_CLAIMS);
    let notes = store.get_all(claims.map(|claim| claim.address.clone()).collect())?;
    let notes = notes.into_iter().flatten().collect();
    Ok(Shows { block, notes })
}
