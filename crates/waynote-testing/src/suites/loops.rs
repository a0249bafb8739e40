//! Loops and their events, in every store.

mod blocks;
mod entries;
mod leases;
mod person;

pub(crate) use {blocks::*, entries::*, leases::*, person::*};

use std::time::Duration;

use waynote::context::{Request, render};
use waynote::event::{EndReason, IterationOutcome, ProcessIdentity};
use waynote::loops::{IterationEnd, Loop, LoopStart, signal};
use waynote::session_state::{
    AgentSignal, End, fresh_answer, iterations, last_signal, live_iteration, open_question,
};
use waynote::{
    EntryType, Error, LocalStore, LoopError, Name, Place, Scope, ScopeKind, SearchRequest,
    SessionLog, SessionStatus, Stamp,
};

use crate::values::{at, contents, kind, name};

/// How the last loop of a session ended, while none runs.
fn end_of(store: &dyn LocalStore, session: &Name) -> Option<End> {
    SessionStatus::read(store, session, &|_| Some(false))
        .unwrap()
        .end
}

fn holder(pid: u32) -> ProcessIdentity {
    ProcessIdentity::new("here", "b", pid, 7)
}

fn begin<'s>(
    store: &'s dyn LocalStore,
    pid: u32,
    answer: Option<&str>,
    dead: &[u32],
) -> waynote::Result<Loop<'s>> {
    let is_dead = |holder: &ProcessIdentity| Some(dead.contains(&holder.pid));
    let begin = LoopStart::new(holder(pid), "/p", &is_dead).answer(answer);
    Loop::begin(store, name("s"), begin, &at(1))
}

const DONE: IterationOutcome = IterationOutcome::Exited { code: 0 };

fn second() -> Duration {
    Duration::from_secs(1)
}

fn ended(outcome: IterationOutcome, attempts: u32) -> IterationEnd {
    IterationEnd::new(outcome, second(), attempts)
}

fn turn(run: &Loop<'_>, outcome: IterationOutcome) -> i64 {
    let iteration = run.start_iteration(None, &at(2)).unwrap();
    run.end_iteration(iteration, ended(outcome, 1), &at(3))
        .unwrap();
    iteration
}

fn complete(
    store: &dyn LocalStore,
    session: &Name,
    iteration: Option<i64>,
    summary: &str,
    stamp: &Stamp,
) -> waynote::Result<()> {
    let said = AgentSignal::Completed(summary.into());
    signal(store, session, iteration, &said, stamp)
}

fn block(
    store: &dyn LocalStore,
    session: &Name,
    iteration: Option<i64>,
    question: &str,
    stamp: &Stamp,
) -> waynote::Result<()> {
    let said = AgentSignal::Blocked(question.into());
    signal(store, session, iteration, &said, stamp)
}

pub(crate) fn a_session_has_one_loop_and_its_numbers_go_on(store: &dyn LocalStore) {
    let session = name("s");
    let first = begin(store, 1, None, &[]).unwrap();
    assert_eq!(turn(&first, DONE), 1);
    assert_eq!(kind(begin(store, 2, None, &[])), "loop_running");
    assert_eq!(store.leases().unwrap().len(), 1);
    assert_eq!(turn(&first, IterationOutcome::Exited { code: 3 }), 2);
    first.end(EndReason::Iterations, None, &at(4)).unwrap();
    assert!(store.leases().unwrap().is_empty());

    let second = begin(store, 2, None, &[]).unwrap();
    assert_eq!(live_iteration(store, &session).unwrap(), None);
    assert_eq!(second.start_iteration(None, &at(5)).unwrap(), 3);
    assert_eq!(live_iteration(store, &session).unwrap(), Some(3));
    // It is killed here. The next one finds it dead and reports its open iteration.
    drop(second);
    let third = begin(store, 3, None, &[2]).unwrap();
    assert_eq!(live_iteration(store, &session).unwrap(), None);
    assert_eq!(turn(&third, DONE), 4);
    let history = iterations(store, &session, 100).unwrap();
    let told: Vec<_> = history.iter().map(|of| (of.number, of.outcome)).collect();
    assert_eq!(
        told,
        [
            (1, Some(DONE)),
            (2, Some(IterationOutcome::Exited { code: 3 })),
            (3, Some(IterationOutcome::Lost)),
            (4, Some(DONE)),
        ]
    );
    assert_eq!(iterations(store, &session, 2).unwrap(), history[2..]);
    assert!(store.verify().unwrap().problems.is_empty());
}

pub(crate) fn a_loop_that_lost_its_session_says_nothing_more(store: &dyn LocalStore) {
    let lost = begin(store, 1, None, &[]).unwrap();
    lost.start_iteration(None, &at(2)).unwrap();
    // Taken for dead while it lives, as by another machine.
    let taken = begin(store, 2, None, &[1]).unwrap();
    let refused = |kind: String| assert_eq!(kind, "lease_lost");
    refused(kind(lost.end_iteration(1, ended(DONE, 1), &at(3))));
    refused(kind(lost.start_iteration(None, &at(3))));
    refused(kind(lost.end(EndReason::Iterations, None, &at(3))));
    assert_eq!(turn(&taken, DONE), 2);
    taken.end(EndReason::Iterations, None, &at(4)).unwrap();
}

pub(crate) fn a_loop_that_ends_within_an_iteration_leaves_none_open(store: &dyn LocalStore) {
    let failing = begin(store, 1, None, &[]).unwrap();
    failing.start_iteration(None, &at(2)).unwrap();
    // Its end could not be written; a moment later the store could.
    failing.end(EndReason::Error, None, &at(3)).unwrap();
    assert_eq!(live_iteration(store, &name("s")).unwrap(), None);
    let next = begin(store, 2, None, &[]).unwrap();
    assert_eq!(turn(&next, DONE), 2);
    let history = iterations(store, &name("s"), 100).unwrap();
    let told: Vec<_> = history.iter().map(|of| of.outcome).collect();
    assert_eq!(told, [Some(IterationOutcome::Lost), Some(DONE)]);
    assert!(store.verify().unwrap().problems.is_empty());
}

pub(crate) fn who_comes_second_to_a_dead_loops_session_is_told_who_has_it(store: &dyn LocalStore) {
    begin(store, 1, None, &[]).unwrap();
    // While this one looks whether the holder lives, another takes the session.
    let is_dead = |_: &ProcessIdentity| {
        begin(store, 2, None, &[1]).unwrap();
        Some(true)
    };
    let begin = LoopStart::new(holder(3), "/p", &is_dead);
    let begun = Loop::begin(store, name("s"), begin, &at(1));
    assert_eq!(kind(begun), "loop_running");
}

pub(crate) fn a_signal_is_followed_by_no_other(store: &dyn LocalStore) {
    let session = name("s");
    let already = |refused: waynote::Result<()>| match refused.unwrap_err() {
        Error::Loop(LoopError::AlreadySaid { has_asked, .. }) => has_asked,
        other => panic!("{other:?}"),
    };
    let run = begin(store, 1, None, &[]).unwrap();
    run.start_iteration(None, &at(2)).unwrap();
    complete(store, &session, None, "Both.", &at(3)).unwrap();
    assert!(!already(block(store, &session, None, "Which one?", &at(3))));
    assert!(!already(complete(store, &session, None, "All.", &at(3))));
    run.end_iteration(1, ended(DONE, 1), &at(3)).unwrap();
    // A question is not withdrawn: it would never reach a person.
    run.start_iteration(None, &at(4)).unwrap();
    block(store, &session, None, "Which one?", &at(5)).unwrap();
    assert!(already(complete(store, &session, None, "Both.", &at(5))));
    assert!(already(block(store, &session, None, "Or this?", &at(5))));
    let asked = AgentSignal::Blocked("Which one?".into());
    assert_eq!(last_signal(store, &session).unwrap(), Some(asked));
    run.end_iteration(2, ended(DONE, 1), &at(6)).unwrap();
    run.end(EndReason::Blocked, None, &at(6)).unwrap();
    assert_eq!(kind(begin(store, 2, None, &[])), "unanswered");
}

pub(crate) fn events_are_no_notes(store: &dyn LocalStore) {
    let run = begin(store, 1, None, &[]).unwrap();
    run.start_iteration(None, &at(2)).unwrap();
    complete(store, &name("s"), None, "wonderful", &at(3)).unwrap();
    let scope = Scope::Session(name("s"));
    assert!(store.scopes(ScopeKind::Session).unwrap().is_empty());
    assert_eq!(store.count(&scope).unwrap(), 0);
    assert!(store.journal(None, 10).unwrap().is_empty());
    assert!(
        store
            .search(&SearchRequest::new("wonderful"))
            .unwrap()
            .is_empty()
    );
    let request = Request::new(name("a"), "~/p".parse::<Place>().unwrap(), at(9).now)
        .session(Some(name("s")));
    assert_eq!(render(store, &request).unwrap().text, "");
    assert!(store.verify().unwrap().problems.is_empty());
}

pub(crate) fn an_agent_says_that_it_is_done_or_blocked_only_while_it_runs(store: &dyn LocalStore) {
    let session = name("s");
    let no_iteration = |result| assert_eq!(kind(result), "no_live_iteration");
    no_iteration(complete(store, &session, None, "done", &at(1)));
    let run = begin(store, 1, None, &[]).unwrap();
    no_iteration(block(store, &session, None, "who?", &at(1)));
    run.start_iteration(None, &at(2)).unwrap();
    no_iteration(complete(store, &session, Some(7), "done", &at(2)));
    assert_eq!(last_signal(store, &session).unwrap(), None);
    complete(store, &session, Some(1), " done\n", &at(2)).unwrap();
    assert_eq!(
        last_signal(store, &session).unwrap(),
        Some(AgentSignal::Completed("done".into()))
    );
    let empty = block(store, &session, None, " \n", &at(2)).unwrap_err();
    assert!(matches!(empty, Error::Empty { what } if what == "question"));
    let token = format!("gh{}_{}6wq2", 'p', "aZ3kQ9xW".repeat(4));
    let secret = format!("why is {token} refused?");
    let refused = block(store, &session, None, &secret, &at(2));
    assert_eq!(kind(refused), "holds_secret");
    run.end_iteration(1, ended(DONE, 1), &at(3)).unwrap();
    no_iteration(complete(store, &session, None, "late", &at(4)));
}

pub(crate) fn a_question_stops_the_session_until_it_is_answered(store: &dyn LocalStore) {
    let session = name("s");
    let run = begin(store, 1, None, &[]).unwrap();
    run.start_iteration(None, &at(2)).unwrap();
    block(store, &session, None, "blue or green?", &at(2)).unwrap();
    assert_eq!(
        last_signal(store, &session).unwrap(),
        Some(AgentSignal::Blocked("blue or green?".into()))
    );
    run.end_iteration(1, ended(DONE, 1), &at(3)).unwrap();
    run.end(EndReason::Blocked, None, &at(3)).unwrap();

    let end = Some(End {
        reason: EndReason::Blocked,
        signal: Some(AgentSignal::Blocked("blue or green?".into())),
        detail: None,
    });
    assert_eq!(end_of(store, &session), end);
    let refused = begin(store, 2, None, &[]).map(|_| ()).unwrap_err();
    assert!(
        matches!(refused, Error::Loop(LoopError::Unanswered { question, .. }) if question == "blue or green?")
    );
    assert!(store.leases().unwrap().is_empty());
    assert!(begin(store, 2, Some(" "), &[]).is_err());
    let run = begin(store, 2, Some("green"), &[]).unwrap();
    assert_eq!(end_of(store, &session), None);
    assert_eq!(open_question(store, &session).unwrap(), None);
    let given = fresh_answer(store, &session).unwrap().unwrap();
    assert_eq!(
        (given.question.iteration, given.answer.as_str()),
        (1, "green")
    );
    assert_eq!((given.by.as_str(), given.at), ("person", at(1).now));
    // No iteration has read it: it can still be replaced.
    waynote::loops::answer(store, &session, "greener", &at(2)).unwrap();
    waynote::loops::answer(store, &session, "green", &at(1)).unwrap();
    let given = fresh_answer(store, &session).unwrap().unwrap();
    assert_eq!(given.answer, "green");
    // A turn that failed may not have come to it.
    turn(&run, IterationOutcome::Exited { code: 1 });
    assert!(fresh_answer(store, &session).unwrap().is_some());
    // The same command again, after a stop, repeats the answer; another one has no question.
    run.end(EndReason::Interrupted, None, &at(5)).unwrap();
    let other = begin(store, 3, Some("blue"), &[]).map(|_| ()).unwrap_err();
    assert!(
        matches!(&other, Error::Loop(LoopError::AlreadyAnswered { by, at: given, .. })
            if by.as_str() == "person" && *given == at(1).now),
        "{other:?}"
    );
    let run = begin(store, 3, Some("green"), &[]).unwrap();
    assert!(fresh_answer(store, &session).unwrap().is_some());
    // As long as prompts hold it as an answer, it is no note.
    let notes = || SessionLog::new(store, session.clone()).list(None).unwrap();
    assert!(notes().is_empty());
    turn(&run, DONE);
    assert!(fresh_answer(store, &session).unwrap().is_none());
    assert_eq!(notes().len(), 1);
    run.end(EndReason::Iterations, None, &at(5)).unwrap();
    let nothing = kind(begin(store, 3, Some("green"), &[]));
    assert_eq!(nothing, "nothing_asked");
    let log = SessionLog::new(store, session).list(None).unwrap();
    assert_eq!(contents(&log), ["Asked: blue or green?\nAnswered: green"]);
    assert_eq!(
        (&log[0].kind, log[0].iteration),
        (&Some(EntryType::Decision), Some(1))
    );
}
