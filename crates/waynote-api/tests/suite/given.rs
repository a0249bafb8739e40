//! Values of the library, any of them.

use jiff::Timestamp;
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use waynote::change::{Applied, Change, Expect, Origin};
use waynote::context::{self, Budget, Request, Section, Shown, Style, TokenFactor};
use waynote::event::{
    EndReason, EventAddress, IterationOutcome, ProcessIdentity, RecordedEvent, SessionEvent,
};
use waynote::forget::{Forgotten, Residue};
use waynote::note::{Action, EntryType, State};
use waynote::store::{Cursor, Done, FeedEntry, Happened, Version};
use waynote::{
    Address, AddressAt, AsOf, Content, EntryId, Forget, Key, Limits, Name, Note, OperationId,
    Place, Position, Revision, Scope, SecretPolicy, Stamp,
};

pub(super) fn time() -> impl Strategy<Value = Timestamp> {
    (-1_000_000_000_000_000i64..4_000_000_000_000_000)
        .prop_map(|micros| Timestamp::from_microsecond(micros).unwrap())
}

pub(super) fn name() -> impl Strategy<Value = Name> {
    "[a-zA-Zé#@%:. ]{1,20}"
        .prop_filter("a name", |text| !text.trim().is_empty())
        .prop_map(|text| text.parse().unwrap())
}

fn key() -> impl Strategy<Value = Key> {
    "[a-z0-9][a-z0-9_-]{0,20}".prop_map(|text| text.parse().unwrap())
}

pub(super) fn place() -> impl Strategy<Value = Place> {
    "(~|/[a-zé#@% ]{1,8})(/[a-zé#@%]{1,8}){0,3}".prop_map(|text| text.trim().parse().unwrap())
}

fn entry() -> impl Strategy<Value = EntryId> {
    (time(), any::<[u8; 32]>())
        .prop_map(|(now, salt)| EntryId::next(None, now, waynote::content::ContentHash(salt)))
}

pub(super) fn scope() -> impl Strategy<Value = Scope> {
    prop_oneof![
        place().prop_map(Scope::Place),
        name().prop_map(Scope::Agent),
        name().prop_map(Scope::Session),
    ]
}

pub(super) fn address() -> impl Strategy<Value = Address> {
    prop_oneof![
        place().prop_map(Address::Place),
        (place(), key()).prop_map(|(place, key)| Address::PlaceKey(place, key)),
        (name(), key()).prop_map(|(name, key)| Address::Agent(name, key)),
        (name(), entry()).prop_map(|(name, id)| Address::Session(name, id)),
    ]
}

pub(super) fn content() -> impl Strategy<Value = Content> {
    prop_oneof![
        any::<String>().prop_map(Content::imported),
        vec(any::<u8>(), 0..20).prop_map(Content::imported),
        // A lone surrogate, as some programs write it.
        Just(Content::imported(b"a\xed\xa0\x80b".to_vec())),
    ]
}

pub(super) fn kind() -> impl Strategy<Value = EntryType> {
    "stuck|tip|[a-zé ]{1,9}".prop_map(|word| EntryType::imported(&word))
}

pub(super) fn note() -> impl Strategy<Value = Note> {
    (
        address(),
        content(),
        any::<String>(),
        (of(kind()), of(any::<i64>()), of(entry())),
        (any::<bool>(), any::<u64>(), name()),
        (time(), time()),
    )
        .prop_map(|(address, content, preview, of, by, times)| Note {
            address,
            content,
            preview,
            kind: of.0,
            iteration: of.1,
            resolved_by: of.2,
            pinned: by.0,
            revision: by.1,
            author: by.2,
            created_at: times.0,
            updated_at: times.1,
        })
}

pub(super) fn position() -> impl Strategy<Value = Position> {
    any::<i64>().prop_map(Position::new)
}

pub(super) fn revision() -> impl Strategy<Value = Revision> {
    let words = [
        "save", "sync", "pin", "unpin", "delete", "restore", "undo", "redo", "repeat", "forget",
    ];
    let state = prop_oneof![
        note().prop_map(State::Present),
        (address(), any::<u64>(), name()).prop_map(|(address, revision, author)| State::Deleted {
            address,
            revision,
            author
        }),
        (address(), any::<u64>(), name(), time(), name()).prop_map(|of| State::Forgotten {
            address: of.0,
            revision: of.1,
            author: of.2,
            forgotten_at: of.3,
            forgotten_by: of.4,
        }),
    ];
    let action = proptest::sample::select(words.to_vec());
    let action = action.prop_map(|word| Action::stored(word).unwrap());
    let undoes = of(any::<u64>());
    let all = (of(position()), action, undoes, time(), of(name()), state);
    all.prop_map(|of| Revision {
        position: of.0,
        action: of.1,
        undoes: of.2,
        recorded_at: of.3,
        token: of.4,
        state: of.5,
    })
}

pub(super) fn event() -> impl Strategy<Value = SessionEvent> {
    let outcome = prop_oneof![
        any::<i32>().prop_map(|code| IterationOutcome::Exited { code }),
        any::<i32>().prop_map(|signal| IterationOutcome::Signalled { signal }),
        Just(IterationOutcome::Reported),
        Just(IterationOutcome::NotStarted),
        Just(IterationOutcome::TimedOut),
        Just(IterationOutcome::Interrupted),
        Just(IterationOutcome::Lost),
    ];
    let reason = proptest::sample::select(vec![
        EndReason::Iterations,
        EndReason::Time,
        EndReason::Until,
        EndReason::Completed,
        EndReason::Blocked,
        EndReason::Stalled,
        EndReason::Failed,
        EndReason::Interrupted,
        EndReason::Error,
        EndReason::Lost,
    ]);
    let process = (
        any::<String>(),
        any::<u32>(),
        any::<u64>(),
        of(any::<u64>()),
    );
    let process = process.prop_map(|(host, pid, start, namespace)| {
        ProcessIdentity::new(host, "b", pid, start).namespace(namespace)
    });
    let text = any::<String>;
    prop_oneof![
        (process, text(), of(any::<u64>())).prop_map(|(holder, directory, iterations)| {
            SessionEvent::LoopStarted {
                holder,
                directory,
                iterations,
            }
        }),
        (reason, of(text()))
            .prop_map(|(reason, detail)| SessionEvent::LoopEnded { reason, detail }),
        any::<i64>().prop_map(|iteration| SessionEvent::IterationStarted {
            iteration,
            block: None
        }),
        (
            any::<i64>(),
            outcome,
            of(any::<u64>()),
            any::<u32>(),
            of(text())
        )
            .prop_map(|of| {
                SessionEvent::IterationEnded {
                    iteration: of.0,
                    outcome: of.1,
                    duration_ms: of.2,
                    attempts: of.3,
                    notes_added: 3,
                    said: of.4,
                }
            }),
        (any::<i64>(), text())
            .prop_map(|(iteration, summary)| SessionEvent::Completed { iteration, summary }),
        (any::<i64>(), text()).prop_map(|(iteration, question)| SessionEvent::Blocked {
            iteration,
            question
        }),
        text().prop_map(|answer| SessionEvent::Answered { answer }),
        (entry(), entry()).prop_map(|(entry, by)| SessionEvent::Resolved { entry, by }),
    ]
}

pub(super) fn recorded() -> impl Strategy<Value = RecordedEvent> {
    (any::<u64>(), position(), name(), time(), event()).prop_map(|of| RecordedEvent {
        number: of.0,
        position: of.1,
        author: of.2,
        recorded_at: of.3,
        event: of.4,
    })
}

fn revision_address() -> impl Strategy<Value = AddressAt> {
    let revision = of(1..u64::MAX);
    (address(), revision).prop_map(|(address, revision)| AddressAt { address, revision })
}

fn event_address() -> impl Strategy<Value = EventAddress> {
    (name(), 1..u64::MAX).prop_map(|(session, number)| EventAddress { session, number })
}

pub(super) fn feed_entry() -> impl Strategy<Value = FeedEntry> {
    let happened = prop_oneof![
        revision().prop_map(Happened::Changed),
        (name(), recorded()).prop_map(|(session, recorded)| Happened::Event { session, recorded }),
        (
            vec(revision_address(), 0..3),
            vec(event_address(), 0..3),
            time(),
            name()
        )
            .prop_map(|(revisions, events, at, by)| Happened::Forgotten {
                revisions,
                events,
                at,
                by
            }),
    ];
    (cursor(), happened).prop_map(|(at, happened)| FeedEntry { at, happened })
}

pub(super) fn cursor() -> impl Strategy<Value = Cursor> {
    (position(), any::<u32>()).prop_map(|(position, ordinal)| Cursor { position, ordinal })
}

pub(super) fn done() -> impl Strategy<Value = Done> {
    (any::<u32>(), feed_entry()).prop_map(|(step, entry)| Done { step, entry })
}

pub(super) fn version() -> impl Strategy<Value = Version> {
    (of(position()), any::<u64>(), of(time())).prop_map(|(position, changes, written_at)| Version {
        position,
        changes,
        written_at,
    })
}

fn origin() -> impl Strategy<Value = Origin> {
    (of(name()), time(), time(), any::<bool>()).prop_map(|of| Origin {
        author: of.0,
        created_at: of.1,
        updated_at: of.2,
        is_synced: of.3,
    })
}

pub(super) fn change() -> impl Strategy<Value = Change> {
    let limits = (any::<i64>(), any::<i64>(), any::<i64>()).prop_map(|(bytes, place, notes)| {
        Limits::NONE
            .max_bytes(bytes)
            .max_place_bytes(place)
            .max_notes(notes)
    });
    let expect = || of(any::<u64>()).prop_map(|of| of.map_or(Expect::Any, Expect::Revision));
    prop_oneof![
        (
            address(),
            content(),
            of(any::<bool>()),
            limits,
            expect(),
            of(origin())
        )
            .prop_map(|of| {
                Change::Save {
                    address: of.0,
                    content: of.1,
                    pin: of.2,
                    limits: of.3,
                    expect: of.4,
                    origin: of.5,
                }
            }),
        (
            name(),
            kind(),
            of(any::<i64>()),
            content(),
            (of(entry()), of(entry()), of(time()))
        )
            .prop_map(|of| Change::Append {
                session: of.0,
                kind: of.1,
                iteration: of.2,
                content: of.3,
                resolves: of.4.0,
                id: of.4.1,
                created_at: of.4.2,
            }),
        (address(), any::<bool>(), expect()).prop_map(|(address, pinned, expect)| Change::Pin {
            address,
            pinned,
            expect
        }),
        (address(), expect()).prop_map(|(address, expect)| Change::Delete { address, expect }),
        (address(), any::<u64>())
            .prop_map(|(address, revision)| Change::Restore { address, revision }),
        (address(), of(origin()), of(any::<u64>())).prop_map(|(address, origin, last)| {
            Change::Undo {
                address,
                origin,
                last,
            }
        }),
        (address(), of(any::<u64>())).prop_map(|(address, last)| Change::Redo { address, last }),
    ]
}

pub(super) fn applied() -> impl Strategy<Value = Applied> {
    (address(), of(note()), any::<bool>(), any::<bool>()).prop_map(|of| Applied {
        address: of.0,
        note: of.1,
        existed: of.2,
        changed: of.3,
    })
}

pub(super) fn stamp() -> impl Strategy<Value = Stamp> {
    let secrets = prop_oneof![
        Just(SecretPolicy::RefuseAll),
        Just(SecretPolicy::AllowAll),
        Just(SecretPolicy::Allow(
            waynote::secrets::rules()
                .map(|rule| rule.name)
                .take(2)
                .collect()
        )),
    ];
    let operation = of(any::<[u8; 16]>().prop_map(OperationId::new));
    let lease = of(event_address());
    let parts = (time(), name(), secrets, operation, lease);
    parts.prop_map(|(now, author, secrets, operation, lease)| Stamp {
        operation,
        lease,
        ..Stamp::new(now, author).allowing(secrets)
    })
}

pub(super) fn forget() -> impl Strategy<Value = Forget> {
    let of = prop_oneof![
        revision_address().prop_map(|of| Forget::new(of.address).revision(of.revision)),
        event_address().prop_map(Forget::event),
        name().prop_map(Forget::session),
    ];
    (of, any::<bool>()).prop_map(|(forget, everywhere)| forget.everywhere(everywhere))
}

pub(super) fn forgotten() -> impl Strategy<Value = Forgotten> {
    let residue = of(prop_oneof![
        Just(Residue::Lent),
        Just(Residue::Foreign),
        Just(Residue::Read),
        any::<String>().prop_map(Residue::Failed),
    ]);
    (
        forget(),
        (vec(revision_address(), 0..3), vec(revision_address(), 0..3)),
        (vec(event_address(), 0..3), vec(event_address(), 0..3)),
        (
            vec(address(), 0..3),
            any::<u64>(),
            vec(any::<String>(), 0..3),
        ),
        residue,
    )
        .prop_map(|(request, revisions, events, rest, residue)| Forgotten {
            revisions: revisions.0,
            shared: revisions.1,
            events: events.0,
            shared_events: events.1,
            gone: rest.0,
            kept: rest.1,
            spaces: rest.2,
            residue,
            ..Forgotten::nothing(&request)
        })
}

fn as_of() -> impl Strategy<Value = AsOf> {
    prop_oneof![
        position().prop_map(AsOf::Position),
        time().prop_map(AsOf::Time)
    ]
}

fn section() -> impl Strategy<Value = Section> {
    proptest::sample::select(&Section::ALL[..])
}

fn shown() -> impl Strategy<Value = Shown> {
    proptest::sample::select(&[Shown::Whole, Shown::Line, Shown::LeftOut][..])
}

fn style() -> impl Strategy<Value = Style> {
    proptest::sample::select(&[Style::Stable, Style::Faithful][..])
}

pub(super) fn request() -> impl Strategy<Value = Request> {
    let budget = (any::<u32>(), 0.1..10.0).prop_map(|(tokens, factor)| {
        Budget::of(tokens as usize).factor(TokenFactor::new(factor).unwrap())
    });
    (
        (name(), place(), time(), vec(place(), 0..3)),
        (
            of(name()),
            of(any::<i64>()),
            of(section()),
            of(any::<String>()),
        ),
        (style(), budget, of(as_of()), any::<bool>()),
        of((any::<String>(), any::<String>())),
    )
        .prop_map(|(whom, of, how, tools)| {
            let request = Request::new(whom.0, whom.1, whom.2)
                .also(whom.3)
                .session(of.0)
                .iteration(of.1)
                .only(of.2)
                .query(of.3)
                .style(how.0)
                .budget(how.1)
                .as_of(how.2)
                .explain(how.3);
            match tools {
                Some((show, search)) => request.tools(context::ReaderTools::new(show, search)),
                None => request,
            }
        })
}

fn shown_note() -> impl Strategy<Value = context::ShownNote> {
    (address(), any::<u64>(), shown())
}

pub(super) fn block_ask() -> impl Strategy<Value = context::BlockAsk> {
    use context::BlockPart;
    let known = || vec(shown_note(), 0..3);
    let part = prop_oneof![
        of(version()).prop_map(|unless| BlockPart::Block { unless }),
        Just(BlockPart::BlockAndNotes),
        (vec(section(), 0..3), known())
            .prop_map(|(sections, known)| BlockPart::Changed { sections, known }),
        known().prop_map(|known| BlockPart::Matching { known }),
    ];
    (request(), part).prop_map(|(request, part)| context::BlockAsk { request, part })
}

fn block() -> impl Strategy<Value = context::Block> {
    use context::{Claim, Receipt, SectionText, Why};
    let why = (0..5, any::<usize>(), any::<usize>()).prop_map(|(which, takes, left)| match which {
        0 => Why::Fits,
        1 => Why::Listed,
        2 => Why::TooLong { takes, left },
        3 => Why::NoRoom { takes, left },
        _ => Why::Behind,
    });
    let claim = (section(), address(), any::<u64>(), shown(), why).prop_map(|of| Claim {
        section: of.0,
        address: of.1,
        revision: of.2,
        shown: of.3,
        tokens: 7,
        why: of.4,
    });
    let sections = (section(), any::<String>());
    let sections = sections.prop_map(|(section, text)| SectionText { section, text });
    let receipt = (
        any::<[usize; 5]>(),
        any::<[u64; 3]>(),
        vec(any::<String>(), 0..2),
    );
    (
        any::<String>(),
        style(),
        vec(sections, 0..3),
        receipt,
        (vec(claim, 0..3), of(position())),
    )
        .prop_map(
            |(text, style, sections, of, (claims, position))| context::Block {
                text,
                style,
                sections,
                receipt: Receipt {
                    budget: of.0[0],
                    tokens: of.0[1],
                    counted: of.0[2],
                    headings: of.0[3],
                    last_line: of.0[4],
                    shown: of.1[0],
                    lines: of.1[1],
                    left_out: of.1[2],
                    damaged: of.2,
                    claims,
                },
                position,
            },
        )
}

pub(super) fn block_answer() -> impl Strategy<Value = context::BlockAnswer> {
    use context::BlockAnswer;
    let notes = vec((note(), shown()), 0..3);
    prop_oneof![
        Just(BlockAnswer::Unchanged),
        (block(), version())
            .prop_map(|(block, version)| BlockAnswer::Block(Box::new(block), version)),
        (block(), vec(shown_note(), 0..3))
            .prop_map(|(block, notes)| BlockAnswer::BlockAndNotes(Box::new(block), notes)),
        (any::<String>(), notes)
            .prop_map(|(text, notes)| BlockAnswer::Notes(context::Matching { text, notes })),
    ]
}
