//! The report: for each arm and kind, how often the mistake was repeated, what the notes cost, and what it shows.

use anyhow::{Result, ensure};
use serde::Serialize;
use serde_json::{Value, json};

use crate::home::Arm;
use crate::outcome::Outcome;
use crate::statistics::{Count, Estimate, Verdict};

const SCRIPTED: &str = "The agent is scripted and follows a rule: it makes the mistake at a set rate, unless the \
decisive words\nwere delivered to it before it decides. So this shows that notes are delivered, how precisely, and at \
what\ncost. It does not show that a model makes fewer mistakes.";
const MODEL: &str = "The agent is a command that was given. Intervals take runs as independent. Runs of one trap are \
alike, so\nlook at how many traps went better and worse, too.";

/// The heads of the two tables, and what stands below each.
const MISTAKES: &str = "KIND|ARM|RUNS|DONE|MISTAKES|RATE [95 %]|MINUS PLACEBO [95 %]|TRAPS|SHOWS";
const COSTS: &str = "KIND|ARM|IN TIME|AT TOOLS|TOKENS|OTHERS|PER AVOIDED";
const AFTER_MISTAKES: &str = "
DONE: the visible tests pass. MISTAKES: of those, the hidden tests fail. TRAPS: with fewer and with more
mistakes than with the placebo. INSUFFICIENT: the interval is too wide to tell.

";
const AFTER_COSTS: &str = "
IN TIME: the note that is tried stood there whole before the files that decide were changed.
AT TOOLS: that note, of all notes that were told at tools. TOKENS: at the start, at tools.
OTHERS: other notes in a run: at the start, for paths, after failures.
PER AVOIDED: all these tokens for one mistake less than with the placebo.";

/// The outcomes of all runs.
pub(crate) struct Report {
    arms: Vec<Arm>,
    runs: Vec<Outcome>,
    is_scripted: bool,
}

/// The figures of an arm in all traps, or in those of a kind.
#[derive(Serialize)]
struct Row {
    arm: &'static str,
    kind: String,
    runs: usize,
    /// Of the runs whose visible tests pass.
    mistakes: Count,
    rate: Estimate,
    minus_placebo: Option<Estimate>,
    verdict: Option<Verdict>,
    /// Traps with fewer and with more mistakes than with the placebo.
    better: usize,
    worse: usize,
    /// The note, or its placebo, stood there before the files that decide were changed.
    delivered: Count,
    tokens_at_start: f64,
    tokens_at_tools: f64,
    tokens_per_avoided_mistake: Option<f64>,
    /// Other notes in a run, and the share of the tried one among those that were told at tools.
    others_at_start: f64,
    others_of_paths: f64,
    others_of_failures: f64,
    precision_at_tools: Count,
}

impl Report {
    pub(crate) fn new(arms: Vec<Arm>, runs: Vec<Outcome>, is_scripted: bool) -> Self {
        Self {
            arms,
            runs,
            is_scripted,
        }
    }

    /// What the report can show, and what it cannot.
    pub(crate) fn head(&self) -> &'static str {
        if self.is_scripted { SCRIPTED } else { MODEL }
    }

    fn of(&self, arm: Arm, kind: Option<&str>) -> Vec<&Outcome> {
        let is_in = |run: &&Outcome| run.arm == arm && kind.is_none_or(|kind| run.kind == kind);
        self.runs.iter().filter(is_in).collect()
    }

    fn row(&self, arm: Arm, kind: Option<&str>) -> Row {
        let (runs, placebo) = (self.of(arm, kind), self.of(Arm::Placebo, kind));
        let mistakes = mistakes(&runs, None);
        let to_placebo = (arm != Arm::Placebo && !placebo.is_empty())
            .then(|| mistakes.minus(self::mistakes(&placebo, None)));
        let verdict = to_placebo.map(Verdict::of);
        let mean = |of: fn(&Outcome) -> usize| {
            let sum: usize = runs.iter().map(|run| of(run)).sum();
            sum as f64 / runs.len().max(1) as f64
        };
        let avoided = to_placebo.filter(|_| verdict == Some(Verdict::Fewer));
        let mut traps: Vec<&str> = runs.iter().map(|run| run.trap.as_str()).collect();
        traps.sort_unstable();
        traps.dedup();
        let differences: Vec<f64> = traps
            .iter()
            .map(|trap| {
                let with_placebo = self::mistakes(&placebo, Some(trap));
                self::mistakes(&runs, Some(trap)).minus(with_placebo).value
            })
            .collect();
        let tried: usize = runs.iter().map(|run| run.tried_at_tools).sum();
        let told =
            |run: &&Outcome| run.tried_at_tools + run.others_of_paths + run.others_of_failures;
        let told: usize = runs.iter().map(told).sum();
        Row {
            arm: arm.word(),
            kind: kind.unwrap_or("all").to_owned(),
            runs: runs.len(),
            mistakes,
            rate: mistakes.rate(),
            minus_placebo: to_placebo,
            verdict,
            better: differences.iter().filter(|of| **of < 0.0).count(),
            worse: differences.iter().filter(|of| **of > 0.0).count(),
            delivered: Count::of(runs.iter().map(|run| run.was_delivered)),
            tokens_at_start: mean(|run| run.tokens_at_start),
            tokens_at_tools: mean(|run| run.tokens_at_tools),
            tokens_per_avoided_mistake: avoided.map(|of| mean(Outcome::tokens) / -of.value),
            others_at_start: mean(|run| run.others_at_start),
            others_of_paths: mean(|run| run.others_of_paths),
            others_of_failures: mean(|run| run.others_of_failures),
            precision_at_tools: Count {
                hits: tried,
                of: told,
            },
        }
    }

    /// Rows of all traps, then of each kind.
    fn rows(&self) -> Vec<Row> {
        let mut kinds: Vec<&str> = self.runs.iter().map(|run| run.kind.as_str()).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let kinds = std::iter::once(None).chain(kinds.into_iter().map(Some));
        kinds
            .flat_map(|kind| self.arms.iter().map(move |arm| self.row(*arm, kind)))
            .collect()
    }

    pub(crate) fn text(&self) -> String {
        let rows = self.rows();
        let mistakes = rows.iter().map(|row| {
            let traps = format!("{}:{}", row.better, row.worse);
            vec![
                row.kind.clone(),
                row.arm.to_owned(),
                row.runs.to_string(),
                row.mistakes.of.to_string(),
                row.mistakes.hits.to_string(),
                shown(Some(row.rate)),
                shown(row.minus_placebo),
                row.minus_placebo.map(|_| traps).unwrap_or_default(),
                row.verdict.map_or("", Verdict::word).to_owned(),
            ]
        });
        let costs = rows.iter().map(|row| {
            let of = |count: Count| format!("{}/{}", count.hits, count.of);
            let others = [
                row.others_at_start,
                row.others_of_paths,
                row.others_of_failures,
            ];
            let per_avoided = row.tokens_per_avoided_mistake.map(|of| format!("{of:.0}"));
            vec![
                row.kind.clone(),
                row.arm.to_owned(),
                of(row.delivered),
                of(row.precision_at_tools),
                format!("{:.0} + {:.0}", row.tokens_at_start, row.tokens_at_tools),
                others.map(|of| format!("{of:.1}")).join(", "),
                per_avoided.unwrap_or_default(),
            ]
        });
        [
            table(MISTAKES, mistakes).as_str(),
            AFTER_MISTAKES,
            &table(COSTS, costs),
            AFTER_COSTS,
        ]
        .concat()
    }

    pub(crate) fn json(&self) -> Value {
        json!({ "head": self.head(), "is_scripted": self.is_scripted, "rows": self.rows(), "runs": self.runs })
    }

    /// An agent that cannot be started or asks for an account does nothing.
    pub(crate) fn has_a_task_done(&self) -> Result<()> {
        let is_done = self.runs.iter().any(|run| run.is_done);
        ensure!(
            is_done,
            "no run did its task: with --keep, agent.log says what the agent printed"
        );
        Ok(())
    }

    /// Every run without a note makes the mistake, and none with a note: so it is with a rule and without chance.
    pub(crate) fn is_as_told(&self) -> Result<()> {
        for run in &self.runs {
            let has_note = run.arm == Arm::Both;
            ensure!(
                run.is_done && run.is_mistaken != has_note && run.was_delivered == has_note,
                "{} in arm {}: not as told: {run:?}",
                run.trap,
                run.arm.word()
            );
            ensure!(
                !has_note || run.tried_at_tools == 1,
                "{}: the note was told {} times at tools",
                run.trap,
                run.tried_at_tools
            );
        }
        Ok(())
    }

    /// Where the note comes at the action it is in time, and there are fewer mistakes than with the placebo.
    pub(crate) fn shows_an_effect(&self) -> Result<()> {
        let row = self.row(Arm::Both, None);
        let in_time = row.delivered.rate().value;
        ensure!(
            in_time >= 0.95,
            "the note was in time in {:.0} % of the runs",
            in_time * 100.0
        );
        let word = row.verdict.map(Verdict::word);
        ensure!(
            row.verdict == Some(Verdict::Fewer),
            "mistakes against the placebo: {word:?}"
        );
        Ok(())
    }
}

/// Mistakes of the runs that did the task, in all traps or in one.
fn mistakes(runs: &[&Outcome], trap: Option<&str>) -> Count {
    let done = runs
        .iter()
        .filter(|run| run.is_done && trap.is_none_or(|trap| run.trap == trap));
    Count::of(done.map(|run| run.is_mistaken))
}

/// An estimate in percent.
fn shown(of: Option<Estimate>) -> String {
    let Some(of) = of else {
        return String::new();
    };
    if of.value.is_nan() {
        return "none".to_owned();
    }
    let [value, low, high] = [of.value, of.low, of.high].map(|of| of * 100.0);
    format!("{value:.0} [{low:.0}, {high:.0}]")
}

/// A table, each column as wide as its widest cell.
fn table(heads: &str, rows: impl Iterator<Item = Vec<String>>) -> String {
    let heads = heads.split('|').map(str::to_owned).collect();
    let rows: Vec<Vec<String>> = std::iter::once(heads).chain(rows).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let mut text = String::new();
    for row in &rows {
        let cells = row.iter().enumerate();
        let cells = cells.map(|(column, cell)| {
            let width = width(column).unwrap_or_default();
            format!("{cell:width$}  ")
        });
        text += cells.collect::<String>().trim_end();
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows of ten traps with so many mistakes in ten runs of each.
    fn report(placebo: usize, both: usize, runs: usize) -> Report {
        let of = |(arm, mistakes): (Arm, usize)| {
            (0..10 * runs).map(move |number| Outcome {
                trap: format!("trap-{}", number / runs),
                kind: "kind".to_owned(),
                arm,
                is_done: true,
                is_mistaken: number % runs < mistakes,
                was_delivered: arm == Arm::Both,
                tokens_at_start: 100,
                ..Outcome::default()
            })
        };
        let arms = [(Arm::Placebo, placebo), (Arm::Both, both)];
        let outcomes = arms.into_iter().flat_map(of).collect();
        Report::new(vec![Arm::Placebo, Arm::Both], outcomes, true)
    }

    #[test]
    fn a_difference_is_told_as_far_as_it_shows() {
        let both = |report: &Report| report.row(Arm::Both, None);
        let fewer = report(8, 3, 10);
        let row = both(&fewer);
        assert_eq!(
            (row.verdict, row.better, row.worse),
            (Some(Verdict::Fewer), 10, 0)
        );
        // Five mistakes of ten runs less, for 100 tokens each.
        assert_eq!(row.tokens_per_avoided_mistake, Some(200.0));
        assert!(fewer.shows_an_effect().is_ok());
        let unclear = report(1, 1, 1);
        assert_eq!(both(&unclear).tokens_per_avoided_mistake, None);
        assert!(unclear.text().contains("INSUFFICIENT") && unclear.shows_an_effect().is_err());
        assert!(unclear.head().contains("does not show that a model"));
        assert!(unclear.is_as_told().is_err() && unclear.has_a_task_done().is_ok());
        assert!(report(0, 0, 0).has_a_task_done().is_err());
    }
}
