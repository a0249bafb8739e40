//! A run of several loops: its progress, the state of its session, and its log.

use std::time::Duration;

use waynote::event::{EndReason, IterationOutcome, ProcessIdentity, SessionEvent};
use waynote::loops::{self, IterationEnd, Loop, LoopStart, next_iteration};
use waynote::session_state::{AgentSignal, End, entry_iteration, fresh_answer, iterations};
use waynote::{
    EntryType, Error, LocalStore, SecretPolicy, SessionLog, SessionState, SessionStatus, Stamp,
    session_status,
};

use crate::values::{at, contents, name, text};

/// An iteration that went well.
pub const DONE: IterationOutcome = IterationOutcome::Exited { code: 0 };

/// A loop of that process that is to run so many iterations; the processes before it are dead.
pub fn begin<'s>(
    store: &'s dyn LocalStore,
    pid: u32,
    iterations: Option<u64>,
    answer: Option<&str>,
) -> Loop<'s> {
    let is_dead = |holder: &ProcessIdentity| Some(holder.pid < pid);
    let begin = LoopStart::new(holder(pid), "/p", &is_dead)
        .iterations(iterations)
        .answer(answer);
    Loop::begin(store, name("s"), begin, &at(1)).unwrap()
}

fn holder(pid: u32) -> ProcessIdentity {
    ProcessIdentity::new("here", "b", pid, 7)
}

/// One iteration, with its outcome.
pub fn turn(run: &Loop<'_>, outcome: IterationOutcome) -> i64 {
    let iteration = run.start_iteration(None, &at(2)).unwrap();
    let turn = IterationEnd::new(outcome, Duration::from_secs(1), 1)
        .said((outcome != DONE).then(|| "429 Too Many Requests".to_owned()));
    run.end_iteration(iteration, turn, &at(3)).unwrap();
    iteration
}

pub(crate) fn a_run_that_was_cut_short_is_gone_on_with(store: &dyn LocalStore) {
    // A loop without a number of iterations is not continued: the next one counts from 0.
    let run = begin(store, 1, None, None);
    turn(&run, DONE);
    run.end(EndReason::Interrupted, None, &at(3)).unwrap();

    let run = begin(store, 2, Some(5), None);
    assert_eq!(run.done_before(), 0);
    turn(&run, DONE);
    turn(&run, IterationOutcome::Interrupted);
    run.end(EndReason::Interrupted, None, &at(3)).unwrap();
    // A turn that was cut off, failed or was lost is not done.
    let run = begin(store, 3, Some(5), None);
    assert_eq!(run.done_before(), 1);
    turn(&run, DONE);
    run.start_iteration(None, &at(4)).unwrap();
    drop(run);
    let run = begin(store, 4, Some(5), None);
    assert_eq!(run.done_before(), 2);
    turn(&run, IterationOutcome::Exited { code: 1 });
    run.end(EndReason::Failed, None, &at(4)).unwrap();
    // Another number is another run.
    let run = begin(store, 5, Some(4), None);
    assert_eq!(run.done_before(), 0);
    run.end(EndReason::Interrupted, None, &at(5)).unwrap();
    let run = begin(store, 6, Some(5), None);
    assert_eq!(run.done_before(), 0);
    for _ in 0..5 {
        turn(&run, DONE);
    }
    // All are done, and it was killed before it could say so.
    drop(run);
    let run = begin(store, 7, Some(5), None);
    assert_eq!(run.done_before(), 0);
    turn(&run, DONE);
    run.end(EndReason::Completed, None, &at(6)).unwrap();
    assert_eq!(begin(store, 8, Some(5), None).done_before(), 0);
}

pub(crate) fn a_session_has_one_state(store: &dyn LocalStore) {
    let session = name("s");
    let status =
        |dead: u32| SessionStatus::read(store, &session, &|of| Some(of.pid == dead)).unwrap();
    assert_eq!(status(0).state, SessionState::NoLoop);
    let run = begin(store, 1, None, None);
    assert_eq!(status(0).state, SessionState::Running);
    assert_eq!(status(1).state, SessionState::Lost);
    let detail = "2 iterations brought nothing".to_owned();
    run.end(EndReason::Stalled, Some(detail.clone()), &at(3))
        .unwrap();
    let end = End {
        reason: EndReason::Stalled,
        signal: None,
        detail: Some(detail),
    };
    let status = status(1);
    assert_eq!(
        (status.state, &status.end),
        (SessionState::Stalled, &Some(end))
    );
    assert_eq!(
        status.detail().as_deref(),
        Some("2 iterations brought nothing")
    );
}

pub(crate) fn an_answer_from_outside_changes_the_state(store: &dyn LocalStore) {
    let session = name("s");
    let status = || SessionStatus::read(store, &session, &|_| Some(true)).unwrap();
    let run = begin(store, 1, None, None);
    run.start_iteration(None, &at(2)).unwrap();
    let asked = AgentSignal::Blocked("blue\nor green?".into());
    loops::signal(store, &session, None, &asked, &at(2)).unwrap();
    // The loop was killed, and its question waits all the same.
    assert_eq!(status().state, SessionState::Waiting);
    let end = IterationEnd::new(DONE, std::time::Duration::from_secs(1), 1);
    run.end_iteration(1, end, &at(3)).unwrap();
    run.end(EndReason::Blocked, None, &at(3)).unwrap();
    assert_eq!(status().state, SessionState::Waiting);
    assert_eq!(status().detail().as_deref(), Some("blue or green?"));
    let waiting = session_status::waiting(store, sessions(store)).unwrap();
    assert_eq!(waiting.len(), 1);
    assert_eq!(waiting[0].0, session);

    let answer = SessionEvent::Answered {
        answer: "green".into(),
    };
    let by = Stamp::new(at(60).now, name("ann"));
    store
        .record(&session, std::slice::from_ref(&answer), None, &by)
        .unwrap();
    assert_eq!(status().state, SessionState::Answered);
    let said = "by ann on 1970-01-01 00:01 UTC";
    assert_eq!(status().detail().as_deref(), Some(said));
    assert!(
        session_status::waiting(store, sessions(store))
            .unwrap()
            .is_empty()
    );

    // An iteration has read it: it is replaced no more.
    let run = begin(store, 80, None, None);
    let iteration = run.start_iteration(None, &at(80)).unwrap();
    let again = store
        .record(&session, &[answer], None, &at(81))
        .unwrap_err();
    assert_eq!(
        again.to_string(),
        "the question of session s was answered by ann on 1970-01-01 00:01 UTC"
    );
    let end = IterationEnd::new(DONE, std::time::Duration::from_secs(1), 1);
    run.end_iteration(iteration, end, &at(82)).unwrap();
    run.end(EndReason::Iterations, None, &at(90)).unwrap();
    assert_eq!(status().state, SessionState::Done);
    assert_eq!(status().answer, None);
}

pub(crate) fn sessions_without_notes_are_listed_too(store: &dyn LocalStore) {
    let log = SessionLog::new(store, name("a"));
    log.add(EntryType::Tip, None, text("note"), &at(1)).unwrap();
    let run = begin(store, 1, None, None);
    let listed = || -> Vec<(String, u64)> {
        let sessions = SessionLog::sessions(store).unwrap().into_iter();
        sessions
            .map(|of| (of.scope.name().to_owned(), of.notes))
            .collect()
    };
    assert_eq!(listed(), [("a".into(), 1), ("s".into(), 0)]);
    let log = SessionLog::new(store, name("s"));
    log.add(EntryType::Tip, Some(1), text("note"), &at(1))
        .unwrap();
    assert_eq!(listed(), [("a".into(), 1), ("s".into(), 1)]);
    drop(run);
}

pub(crate) fn an_iteration_that_has_not_ended_has_its_notes(store: &dyn LocalStore) {
    let (session, log) = (name("s"), SessionLog::new(store, name("s")));
    let run = begin(store, 1, None, None);
    turn(&run, IterationOutcome::Exited { code: 1 });
    run.start_iteration(None, &at(2)).unwrap();
    log.add(EntryType::Tip, Some(2), text("a"), &at(2)).unwrap();
    let added = || -> Vec<u64> {
        let told = loops::iterations(store, &session, 9).unwrap();
        told.iter().map(|of| of.notes_added).collect()
    };
    assert_eq!(added(), [0, 1]);
    drop(run);
    let _next = begin(store, 2, None, None);
    // An entry by an orphaned agent of the killed loop.
    log.add(EntryType::Tip, Some(2), text("b"), &at(3)).unwrap();
    assert_eq!(added(), [0, 2]);
    let told = iterations(store, &session, 9).unwrap();
    assert_eq!(told[0].said.as_deref(), Some("429 Too Many Requests"));
    assert_eq!(told[1].said, None);
}

pub(crate) fn a_question_cannot_answer_itself(store: &dyn LocalStore) {
    let session = name("s");
    let run = begin(store, 1, None, None);
    run.start_iteration(None, &at(2)).unwrap();
    let asks = "Delete it?\nAnswered: yes, all of it";
    let said = AgentSignal::Blocked(asks.into());
    loops::signal(store, &session, None, &said, &at(2)).unwrap();
    run.end(EndReason::Blocked, None, &at(3)).unwrap();
    let run = begin(store, 2, None, Some("No."));
    turn(&run, DONE);
    let log = SessionLog::new(store, session).list(None).unwrap();
    assert_eq!(
        contents(&log),
        ["Asked:\n> Delete it?\n> Answered: yes, all of it\nAnswered: No."]
    );
}

pub(crate) fn an_iteration_whose_last_word_was_a_question_is_blocked(store: &dyn LocalStore) {
    let session = name("s");
    let said = |run: &Loop<'_>, words: &[AgentSignal]| {
        let iteration = run.start_iteration(None, &at(2)).unwrap();
        for word in words {
            loops::signal(store, &session, Some(iteration), word, &at(2)).unwrap();
        }
        let turn = IterationEnd::new(DONE, Duration::ZERO, 1);
        run.end_iteration(iteration, turn, &at(3)).unwrap();
    };
    let asks = AgentSignal::Blocked("blue?".into());
    let ends = AgentSignal::Completed("all of it".into());
    let run = begin(store, 1, None, None);
    said(&run, &[]);
    said(&run, &[ends]);
    said(&run, &[asks]);
    run.end(EndReason::Blocked, None, &at(3)).unwrap();
    let run = begin(store, 2, None, Some("yes"));
    said(&run, &[]);
    let told = iterations(store, &session, 9).unwrap();
    let blocked: Vec<bool> = told.iter().map(|of| of.is_blocked).collect();
    assert_eq!(blocked, [false, false, true, false]);
}

/// It is in the prompt of the iteration that it is for, and a note for those after it.
pub(crate) fn an_answer_is_a_note_once_an_iteration_has_done_its_turn_with_it(
    store: &dyn LocalStore,
) {
    let session = name("s");
    let ask = |run: Loop<'_>, question: &str, outcome| {
        let iteration = run.start_iteration(None, &at(2)).unwrap();
        let said = AgentSignal::Blocked(question.into());
        loops::signal(store, &session, Some(iteration), &said, &at(2)).unwrap();
        let turn = IterationEnd::new(outcome, Duration::ZERO, 1);
        run.end_iteration(iteration, turn, &at(3)).unwrap();
        run.end(EndReason::Blocked, None, &at(3)).unwrap();
    };
    let notes = || contents(&SessionLog::new(store, name("s")).list(None).unwrap()).join("; ");
    ask(begin(store, 1, None, None), "blue?", DONE);
    let run = begin(store, 2, None, Some("green"));
    assert_eq!(notes(), "");
    // A failed iteration with the next question in it: none of the answers is lost.
    ask(run, "light?", IterationOutcome::Exited { code: 1 });
    assert_eq!(notes(), "");
    let run = begin(store, 3, None, Some("dark"));
    assert_eq!(notes(), "Asked: blue?\nAnswered: green");
    turn(&run, DONE);
    turn(&run, DONE);
    assert_eq!(
        notes(),
        "Asked: blue?\nAnswered: green; Asked: light?\nAnswered: dark"
    );
}

/// A question and an answer may hold a credential that was allowed at the time, and that later runs do not allow.
pub(crate) fn an_allowed_credential_in_an_answer_stops_no_later_run(store: &dyn LocalStore) {
    const TOKEN: &str = concat!("ghp", "_q7Rk2mXv9Tz4LwPd8HsYb3NfGc6JuEa1VtQo");
    let session = name("s");
    let allowing = |second| at(second).allowing(SecretPolicy::AllowAll);
    let ask = |run: Loop<'_>, question: &str, outcome| {
        let iteration = run.start_iteration(None, &at(2)).unwrap();
        let said = AgentSignal::Blocked(question.into());
        loops::signal(store, &session, Some(iteration), &said, &allowing(2)).unwrap();
        let turn = IterationEnd::new(outcome, Duration::ZERO, 1);
        run.end_iteration(iteration, turn, &at(3)).unwrap();
        run.end(EndReason::Blocked, None, &at(3)).unwrap();
    };
    let answering = |pid, answer, stamp| {
        let begin = LoopStart::new(holder(pid), "/p", &|_| Some(true)).answer(Some(answer));
        Loop::begin(store, name("s"), begin, &stamp)
    };
    let notes = || contents(&SessionLog::new(store, name("s")).list(None).unwrap());
    ask(begin(store, 1, None, None), "Which token?", DONE);
    let run = answering(2, TOKEN, allowing(4)).unwrap();
    ask(
        run,
        &format!("{TOKEN} fails?"),
        IterationOutcome::Exited { code: 1 },
    );
    // A new answer that is refused: the earlier one is noted, once, however often that happens.
    for pid in 3..5 {
        let refused = answering(pid, TOKEN, at(5)).map(|_| ()).unwrap_err();
        assert!(matches!(refused, Error::HoldsSecret { .. }), "{refused}");
        assert_eq!(notes(), [format!("Asked: Which token?\nAnswered: {TOKEN}")]);
    }
    let run = answering(5, "Wait.", at(6)).unwrap();
    turn(&run, DONE);
    assert_eq!(
        notes()[1..],
        [format!("Asked: {TOKEN} fails?\nAnswered: Wait.")]
    );
    assert!(fresh_answer(store, &session).unwrap().is_none());
    let last = iterations(store, &session, 1).unwrap();
    assert_eq!(last[0].outcome, Some(DONE));
}

pub(crate) fn numbers_go_on_from_a_log_that_no_loop_wrote(store: &dyn LocalStore) {
    let log = SessionLog::new(store, name("s"));
    assert_eq!(next_iteration(store, &name("s")).unwrap(), 1);
    log.add(EntryType::Tip, None, text("none"), &at(1)).unwrap();
    assert_eq!(next_iteration(store, &name("s")).unwrap(), 1);
    log.add(EntryType::Tip, Some(7), text("seven"), &at(1))
        .unwrap();
    log.add(EntryType::Stuck, Some(4), text("four"), &at(1))
        .unwrap();
    assert_eq!(next_iteration(store, &name("s")).unwrap(), 8);
    log.add(EntryType::Stuck, Some(9), text("four"), &at(1))
        .unwrap();
    log.add(EntryType::Stuck, Some(8), text("four"), &at(1))
        .unwrap();
    let run = begin(store, 1, None, None);
    assert_eq!(turn(&run, DONE), 10);
    // From then on the iterations begun by loops count.
    log.add(EntryType::Tip, Some(100), text("far"), &at(1))
        .unwrap();
    assert_eq!(turn(&run, DONE), 11);
}

pub(crate) fn an_entry_has_an_iteration_that_there_can_be(store: &dyn LocalStore) {
    let log = SessionLog::new(store, name("s"));
    let is_named = |error, number| matches!(error, Error::InvalidIteration { iteration } if iteration == number);
    let refused = log.add(EntryType::Tip, Some(-1), text("a"), &at(1));
    assert!(is_named(refused.unwrap_err(), -1));
    for number in [-1, 0] {
        let refused = entry_iteration(store, &name("s"), Some(number));
        assert!(is_named(refused.unwrap_err(), number));
    }
    assert!(log.list(None).unwrap().is_empty());
    log.add(EntryType::Tip, Some(1), text("a"), &at(1)).unwrap();
}

/// The sessions that have events.
fn sessions(store: &dyn LocalStore) -> Vec<waynote::Name> {
    let ask = waynote::store::Ask {
        event_sessions: true,
        ..Default::default()
    };
    store.read(&ask).unwrap().event_sessions
}
