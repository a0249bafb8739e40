"""The types of waynote's API, and a client with a method for each operation.

Made by clients/generate.py from docs/openapi.json. Do not edit.
"""

from __future__ import annotations

from typing import Any, Iterator, Literal, Optional, TypedDict, Union

from ._http import FeedMessage, Transport, part

Address = str

AddressAt = str


class Ancestor(TypedDict):
    """A process above a writing one."""

    pid: int
    """The process id."""
    start: int
    """Its start time, in the ticks of the kernel."""


class Answers(TypedDict, total=False):
    """The answers to an `Ask`. Each field answers that of the same name."""

    all_leases: list[SessionsEvent]
    """The `loop_started` event of every loop that holds a session, by session."""
    counts: list[int]
    """Numbers of notes."""
    damaged: list[str]
    """Notes that are damaged, and so left out of the lists of notes, scopes and changes among these
    answers: addresses, as far as they are known. A single note that is damaged is the error of the
    whole reading.
    """
    entry_types: list[list[str]]
    """The types of each session's entries, by word."""
    event_sessions: list[Name]
    """The sessions that have events, by name."""
    events: list[list[RecordedEvent]]
    """Events of each session, latest first."""
    feed: list[list[FeedEntry]]
    """Everything that happened after each point, in order."""
    histories: list[list[Revision]]
    """The revisions of each note, oldest first."""
    journal: list[list[Revision]]
    """Parts of the journal, latest first."""
    kinds: list[list[Note]]
    """The notes of all scopes of each kind."""
    last_iterations: list[Optional[int]]
    """The last iteration of an entry of each session."""
    leases: list[Optional[RecordedEvent]]
    """The `loop_started` event of the loop that holds each session; null if none does."""
    noted_before: list[int]
    """How often each entry was noted before an iteration."""
    notes: list[Optional[Note]]
    """Notes; null for one that does not exist."""
    operations: list[list[Done]]
    """The rows of each call, by step; nothing when there was no such call, or it changed nothing.
    """
    pages: list[list[Note]]
    """Pages of notes."""
    pages_noted: list[list[int]]
    """For each page of entries before an iteration, how often each of them was noted before it;
    empty for other pages.
    """
    scopes: list[list[Note]]
    """The notes of each scope."""
    steps: list[Optional[Step]]
    """The call that wrote the row at each position, and as which of its changes; null where nothing
    is.
    """
    store_id: Optional[StoreId]
    """The store's id."""
    summaries: list[list[ScopeSummary]]
    """The scopes of each kind that have notes."""
    version: Version
    """The store's version."""


class _Applied(TypedDict):
    address: Address
    """The note."""
    changed: bool
    """Whether anything changed."""


class Applied(_Applied, total=False):
    """The result of a change."""

    before: Optional[NoteBefore]
    """The note before the change; none if it did not exist."""
    note: Optional[Note]
    """The note after the change; none if it does not exist."""


class ApplyAnswer(TypedDict):
    """The results of changes, in their order."""

    applied: list[Applied]
    """The result of each change."""


class ApplyRequest(TypedDict):
    """Changes to apply, all of them or none."""

    changes: list[Change]
    """The changes."""
    stamp: Stamp
    """The author and the time."""

AsOf = Union["AsOfPosition", "AsOfTime"]
"""A point in the history of a whole store."""


class AsOfPosition(TypedDict):
    """After the change at this position of the journal."""

    position: Position
    """After the change at this position of the journal."""


class AsOfRequest(TypedDict):
    """A request for notes as they were."""

    moment: AsOf
    """When."""
    scopes: list[Scope]
    """The scopes."""


class AsOfTime(TypedDict):
    """After the last change of each note that was recorded at or before this time."""

    time: str
    """After the last change of each note that was recorded at or before this time."""


class Ask(TypedDict, total=False):
    """Many questions, which are answered from one state of the store. The answer to a question is
    in the field of the same name of `Answers`, at the same place.
    """

    all_leases: bool
    """Whether to answer with the loops of all sessions."""
    counts: list[Count]
    """Numbers of notes."""
    entry_types: list[Name]
    """Sessions, for the types of their entries."""
    event_sessions: bool
    """Whether to answer with the sessions that have events."""
    events: list[EventPage]
    """Parts of sessions' events."""
    feed: list[FeedPage]
    """Parts of the feed."""
    histories: list[Address]
    """Notes, for their revisions."""
    journal: list[JournalPage]
    """Parts of the journal."""
    kinds: list[ScopeKind]
    """Kinds of scopes, for all notes of all of them, by the scope's name and key."""
    last_iterations: list[Name]
    """Sessions, for the largest iteration in any revision of their current entries."""
    leases: list[Name]
    """Sessions, for the loop that holds each."""
    noted_before: list[NotedBefore]
    """How often entries were noted before an iteration: revisions with an earlier iteration that
    are not deleted.
    """
    notes: list[Address]
    """Notes as they are now."""
    operations: list[OperationId]
    """Ids of calls, for the rows that each wrote."""
    pages: list[Page]
    """Pages of notes of a scope."""
    scopes: list[Scope]
    """Scopes, for all their notes by key."""
    steps: list[Position]
    """Positions, for the call that wrote each row."""
    store_id: bool
    """Whether to answer with the store's id."""
    summaries: list[ScopeKind]
    """Kinds of scopes, for the scopes that have notes, by name."""
    version: bool
    """Whether to answer with the store's version."""


class _Block(TypedDict):
    receipt: Receipt
    """How each note is shown. Empty in style faithful, which shows all notes."""
    sections: list[SectionText]
    """Its sections that are not empty."""
    style: Style
    """The style it is written in."""
    text: str
    """The text for the prompt; empty when no note applies."""


class Block(_Block, total=False):
    """A prompt block."""

    position: Optional[Position]
    """The position of the store's last change when the block was made; none for an empty store."""

BlockAnswer = Union[
    "BlockAnswerUnchanged",
    "BlockAnswerBlock",
    "BlockAnswerBlockAndNotes",
    "BlockAnswerNotes",
]
"""The answer to a `BlockAsk`."""


class BlockAnswerBlockBlock(TypedDict):
    """The block."""

    block: Block
    """The block."""
    version: Version
    """The version of the store that it was made from."""


class BlockAnswerBlock(TypedDict):
    """The block."""

    block: BlockAnswerBlockBlock
    """The block."""


class BlockAnswerBlockAndNotesBlockAndNotes(TypedDict):
    """The block and the notes that it shows."""

    block: Block
    """The block."""
    notes: list[ShownNote]
    """The notes."""


class BlockAnswerBlockAndNotes(TypedDict):
    """The block and the notes that it shows."""

    block_and_notes: BlockAnswerBlockAndNotesBlockAndNotes
    """The block and the notes that it shows."""


class BlockAnswerNotes(TypedDict):
    """Notes."""

    notes: Matching
    """Notes."""

BlockAnswerUnchanged = Literal["unchanged"]
"""The caller has the block already: the store has not changed."""


class BlockAsk(TypedDict):
    """A question for a block, or for some of its notes (see `Reader::rendered`)."""

    part: BlockPart
    """What is wanted of the block."""
    request: Request
    """For whom, where, and the options."""

BlockPart = Union["BlockPartBlock", "BlockPartBlockAndNotes", "BlockPartChanged", "BlockPartMatching"]
"""What is wanted of a block."""


class BlockPartBlockBlock(TypedDict, total=False):
    """The block (see `render`)."""

    unless: Optional[Version]
    """The version of the store that the caller has this block of: if it is still the same, nothing
    is made.
    """


class BlockPartBlock(TypedDict):
    """The block (see `render`)."""

    block: BlockPartBlockBlock
    """The block (see `render`)."""

BlockPartBlockAndNotes = Literal["block_and_notes"]
"""The block and the notes that it shows (see `block_and_notes`)."""


class BlockPartChangedChanged(TypedDict):
    """The notes of these sections that are new to a reader (see `changed`)."""

    known: list[ShownNote]
    """What the reader was shown."""
    sections: list[Section]
    """The sections."""


class BlockPartChanged(TypedDict):
    """The notes of these sections that are new to a reader (see `changed`)."""

    changed: BlockPartChangedChanged
    """The notes of these sections that are new to a reader (see `changed`)."""


class BlockPartMatchingMatching(TypedDict):
    """The notes that match the query (see `matching`)."""

    known: list[ShownNote]
    """What the reader was shown."""


class BlockPartMatching(TypedDict):
    """The notes that match the query (see `matching`)."""

    matching: BlockPartMatchingMatching
    """The notes that match the query (see `matching`)."""


class _Budget(TypedDict):
    tokens: int
    """The budget in tokens of the model that reads the block; 0: no limit."""


class Budget(_Budget, total=False):
    """The token budget of a block."""

    factor: float
    """How many tokens of that model correspond to one token of o200k, by which blocks are counted
    exactly.
    """

Change = Union[
    "ChangeSave",
    "ChangeAppend",
    "ChangePin",
    "ChangeDelete",
    "ChangeRestore",
    "ChangeUndo",
    "ChangeRedo",
]
"""A change of one note."""


class _ChangeAppendAppend(TypedDict):
    content: Content
    """What it says."""
    session: Name
    """The session."""
    type: str
    """The entry's type."""


class ChangeAppendAppend(_ChangeAppendAppend, total=False):
    """Adds an entry to a session's log. Without an id, a text that an entry of the same type
    already has adds no new entry: it counts as a repeat of that entry.
    """

    created_at: Optional[str]
    """When it was made, if it comes from another program."""
    id: Optional[EntryId]
    """Its id, if it comes from another program. If the log already has that id, nothing changes."""
    iteration: Optional[int]
    """The iteration in which it was made."""
    resolves: Optional[EntryId]
    """The `stuck` entry of the same log that it resolves. That entry is not shown in prompts until
    it is noted again.
    """


class ChangeAppend(TypedDict):
    """Adds an entry to a session's log. Without an id, a text that an entry of the same type
    already has adds no new entry: it counts as a repeat of that entry.
    """

    append: ChangeAppendAppend
    """Adds an entry to a session's log. Without an id, a text that an entry of the same type
    already has adds no new entry: it counts as a repeat of that entry.
    """


class _ChangeDeleteDelete(TypedDict):
    address: Address
    """The note."""


class ChangeDeleteDelete(_ChangeDeleteDelete, total=False):
    """Deletes a note. It is no error if the note does not exist."""

    expect: Optional[int]
    """The revision that must be current; 0: the note must not exist; none: any."""


class ChangeDelete(TypedDict):
    """Deletes a note. It is no error if the note does not exist."""

    delete: ChangeDeleteDelete
    """Deletes a note. It is no error if the note does not exist."""


class _ChangePinPin(TypedDict):
    address: Address
    """The note."""
    pinned: bool
    """Pinned or not."""


class ChangePinPin(_ChangePinPin, total=False):
    """Pins or unpins a note. Counts as an update (as in openotters)."""

    expect: Optional[int]
    """The revision that must be current; 0: the note must not exist; none: any."""


class ChangePin(TypedDict):
    """Pins or unpins a note. Counts as an update (as in openotters)."""

    pin: ChangePinPin
    """Pins or unpins a note. Counts as an update (as in openotters)."""


class _ChangeRedoRedo(TypedDict):
    address: Address
    """The note."""


class ChangeRedoRedo(_ChangeRedoRedo, total=False):
    """Redoes what the last undo took back, as a new revision. Not possible after a new change."""

    last: Optional[int]
    """The revision that must be the note's last one; none: whatever is last."""


class ChangeRedo(TypedDict):
    """Redoes what the last undo took back, as a new revision. Not possible after a new change."""

    redo: ChangeRedoRedo
    """Redoes what the last undo took back, as a new revision. Not possible after a new change."""


class _ChangeRestoreRestore(TypedDict):
    address: Address
    """The note."""
    revision: int
    """The revision."""


class ChangeRestoreRestore(_ChangeRestoreRestore, total=False):
    """Restores the state after a revision, as a new revision."""

    last: Optional[int]
    """The revision that must be the note's last one; none: whichever it is."""


class ChangeRestore(TypedDict):
    """Restores the state after a revision, as a new revision."""

    restore: ChangeRestoreRestore
    """Restores the state after a revision, as a new revision."""


class _ChangeSaveSave(TypedDict):
    address: Address
    """The note."""
    content: Content
    """The new text."""


class ChangeSaveSave(_ChangeSaveSave, total=False):
    """Saves a note: creates it, or adds a revision. Not for log entries."""

    expect: Optional[int]
    """The revision that must be current; 0: the note must not exist; none: any."""
    limits: Limits
    """The limits that apply."""
    origin: Optional[Origin]
    """Who wrote the note and when, if it comes from another program."""
    pin: Optional[bool]
    """Whether to pin or unpin the note; none: leave it as it is."""


class ChangeSave(TypedDict):
    """Saves a note: creates it, or adds a revision. Not for log entries."""

    save: ChangeSaveSave
    """Saves a note: creates it, or adds a revision. Not for log entries."""


class _ChangeUndoUndo(TypedDict):
    address: Address
    """The note."""


class ChangeUndoUndo(_ChangeUndoUndo, total=False):
    """Undoes the last change that is not undone yet, as a new revision."""

    last: Optional[int]
    """The revision that must be the note's last one, a deletion included; none: whatever is last.
    """
    origin: Optional[Origin]
    """The author and the time to keep for the state that comes back; used when a text from a synced
    file was only journaled in between.
    """


class ChangeUndo(TypedDict):
    """Undoes the last change that is not undone yet, as a new revision."""

    undo: ChangeUndoUndo
    """Undoes the last change that is not undone yet, as a new revision."""


class _Checkout(TypedDict):
    name: Place
    """The root of the repository, by its name; where it has none, by the path of the main checkout.
    """
    root: Place
    """The directory."""


class Checkout(_Checkout, total=False):
    """A checkout of a repository on this machine."""

    also: list[Place]
    """The root by other names, whose notes are read too and which no new note gets: those that are
    made one with its name, and in a linked worktree the path of the main checkout.
    """


class _Citation(TypedDict):
    code: str
    """`src/pay.rs:40-60`, `src/pay.rs:40`, `src/pay.rs`, relative to the repository; or an
    identifier: `fn charge`.
    """


class Citation(_Citation, total=False):
    """Code that a note cites."""

    cited_at: Optional[str]
    """When it was looked up."""
    commit: Optional[str]
    """The commit that was checked out."""
    repository: Optional[Place]
    """The repository, by its name; by its directory, where it has none. None if it was never looked
    up.
    """
    said: Optional[str]
    """What the lines said without white space: length, sum and SHA-256. `word` for an identifier.
    """


class Claim(TypedDict):
    """How one note is shown."""

    address: Address
    """The note."""
    revision: int
    """The revision that the block was made from; of a note of others its [edition](Note::edition).
    """
    section: Section
    """The section of the note."""
    shown: Shown
    """How much of it is shown."""
    tokens: int
    """The tokens that the note has in the block, counted by o200k."""
    why: Why
    """Why."""

Class = Literal["invalid", "not_found", "conflict", "refused", "limit", "blocked", "damaged", "busy", "unreachable", "denied"]
"""What a caller can do about an error. It determines the exit code, the MCP error or the HTTP
status.
"""

Content = Union[str, list[int]]
"""The text of a note: a string, or a list of bytes if it is not UTF-8. No byte is changed."""

ContentHash = str

Count = Union["CountCounted", "CountKeyed", "CountEntries"]
"""A number of notes."""


class CountCounted(TypedDict):
    """The notes of a scope as the limit counts them: keyed notes and entries, not a place's own
    note.
    """

    counted: Scope
    """The notes of a scope as the limit counts them: keyed notes and entries, not a place's own
    note.
    """


class _CountEntriesEntries(TypedDict):
    session: Name
    """The session."""


class CountEntriesEntries(_CountEntriesEntries, total=False):
    """Entries of a session."""

    before: Optional[int]
    """Only entries of iterations before this one, without those that have none; none: all entries.
    """
    open: bool
    """Only entries that are not resolved."""
    type: Optional[str]
    """Only entries of this type; none: all types."""


class CountEntries(TypedDict):
    """Entries of a session."""

    entries: CountEntriesEntries
    """Entries of a session."""


class CountKeyedKeyed(TypedDict):
    """The keyed notes of a scope that are pinned, or that are not."""

    pinned: bool
    """Whether to count the pinned notes or the others."""
    scope: Scope
    """The scope."""


class CountKeyed(TypedDict):
    """The keyed notes of a scope that are pinned, or that are not."""

    keyed: CountKeyedKeyed
    """The keyed notes of a scope that are pinned, or that are not."""


class Damage(TypedDict, total=False):
    """What was damaged in what was read."""

    index: bool
    """Whether a search did without the index because that is damaged."""
    notes: list[str]
    """What was left out of lists, by address as far as it is known. A sentence is about the store
    as a whole, or about files that are no notes (see `Damage::is_sentence`).
    """


class _DeletedNote(TypedDict):
    address: Address
    """The note."""
    deleted: bool
    """Whether there was one."""


class DeletedNote(_DeletedNote, total=False):
    """The result of deleting a note."""

    revision: Optional[int]
    """The revision with its text; none without such a note."""


class Done(TypedDict):
    """One thing that a call wrote."""

    entry: FeedEntry
    """Where it stands, and what it was."""
    step: int
    """As which of its changes or events, from 0."""

EndReason = Literal["iterations", "time", "until", "completed", "blocked", "stalled", "failed", "requested", "interrupted", "error", "lost"]
"""Why a loop ended."""

EntryId = str

EventAddress = str


class _EventPage(TypedDict):
    session: Name
    """The session."""


class EventPage(_EventPage, total=False):
    """A part of a session's events."""

    before: Optional[int]
    """Events before this number; none: up to now."""
    limit: Optional[int]
    """At most so many; none: all."""


class _FeedEntry(TypedDict):
    at: Position
    """Its point in the feed: a reader continues from there."""


class FeedEntry(_FeedEntry, total=False):
    """One thing that happened: `changed`, `event` or `forgotten` says which, and the others are
    left out.
    """

    changed: Optional[Revision]
    """A note changed."""
    event: Optional[SessionsEvent]
    """An event of a session."""
    forgotten: Optional[ForgottenRevisions]
    """Texts were forgotten."""


class FeedPage(TypedDict, total=False):
    """A part of everything that happened."""

    after: Optional[Position]
    """The feed after this position; none: from the start."""
    limit: Optional[int]
    """At most so many items; none: all."""


class _ForgetRequest(TypedDict):
    stamp: Stamp
    """The author and the time."""
    target: ForgetTarget
    """A note, a revision of one, an event, or what was said in a session: `agent:name#key`,
    `agent:name#key@3`, `session:name#event-3`, `session:name`.
    """


class ForgetRequest(_ForgetRequest, total=False):
    """A request to forget."""

    dry_run: bool
    """Only say what would be forgotten."""
    everywhere: bool
    """Also in other notes that have the same text."""
    up_to: Optional[Position]
    """The `up_to` of the dry run that was looked at. A text that was written later is not
    forgotten: the answer is 409. Left out: whatever is there.
    """

ForgetTarget = str


class _Forgotten(TypedDict):
    gone: list[Address]
    """The notes that no longer exist as a result."""
    kept: int
    """How many revisions of the note still have a text."""
    named: ForgetTarget
    """What the request named."""
    revisions: list[AddressAt]
    """The revisions that this call forgot; empty if they were already forgotten."""
    shared: list[AddressAt]
    """Revisions of this and other notes that still have the same text."""


class Forgotten(_Forgotten, total=False):
    """What was forgotten, and what is left."""

    events: list[EventAddress]
    """The events of which this call forgot what was said in them."""
    residue: Optional[Residue]
    """Why old bytes of the text may still be in the store's files; none if the files are clean."""
    shared_events: list[EventAddress]
    """Events in which the same text was said, alone or with more."""
    spaces: list[str]
    """The names of the [side data](SideData) spaces that had a value about a text that is gone. The
    value was removed; what the program behind the space keeps outside the store was not.
    """
    up_to: Optional[Position]
    """The last position of the store when it was asked what would be forgotten: a request that goes
    [up to it](Forget::up_to) forgets nothing else. None in the result of a forgetting.
    """


class _ForgottenRevisions(TypedDict):
    at: str
    """When."""
    by: Name
    """By whom."""
    revisions: list[AddressAt]
    """The revisions: `agent:name#key@3`."""


class ForgottenRevisions(_ForgottenRevisions, total=False):
    """Revisions whose texts were forgotten, and events of which what was said in them was."""

    events: list[EventAddress]
    """The events: `session:name#event-3`."""


class Hit(TypedDict):
    """A note that was found."""

    address: Address
    """The note's address."""
    matches: list[list[int]]
    """The positions of the matching words in the line: byte ranges."""
    note: Note
    """The note."""
    revision: int
    """The revision that was found."""
    score: float
    """The score: higher is better. Comparable only within one search."""
    snippet: str
    """The line of the text that matches best."""


class _HitsFound(TypedDict):
    hits: list[Hit]
    """The hits."""


class HitsFound(_HitsFound, total=False):
    """Hits of a search, best match first."""

    damage: Damage
    """The damage that was met."""


class _IterationBlock(TypedDict):
    request: Request
    """For which agent it was made, where, and with what options."""
    sha256: str
    """The SHA-256 of the text that the agent was given, in hexadecimal."""


class IterationBlock(_IterationBlock, total=False):
    """The block in the prompt of an iteration, as an event records it: the request, and the hash of
    the text.
    """

    position: Optional[Position]
    """The position of the store's last change; none for an empty store."""

IterationOutcome = Union[
    "IterationOutcomeExited",
    "IterationOutcomeReported",
    "IterationOutcomeSignalled",
    "IterationOutcomeNotStarted",
    "IterationOutcomeTimedOut",
    "IterationOutcomeInterrupted",
    "IterationOutcomeLost",
]
"""How an iteration ended."""


class IterationOutcomeExited(TypedDict):
    """The agent exited."""

    code: int
    """Its exit code; 0 is success."""
    how: Literal["exited"]


class IterationOutcomeInterrupted(TypedDict):
    """A person or the system ended the loop, and the agent with it."""

    how: Literal["interrupted"]


class IterationOutcomeLost(TypedDict):
    """The loop was killed, so the result is not known."""

    how: Literal["lost"]


class IterationOutcomeNotStarted(TypedDict):
    """The agent could not be started."""

    how: Literal["not_started"]


class IterationOutcomeReported(TypedDict):
    """Its exit code was 0, but its output says that it failed."""

    how: Literal["reported"]


class IterationOutcomeSignalled(TypedDict):
    """A signal ended it that the loop did not send."""

    how: Literal["signalled"]
    signal: int
    """The signal's number."""


class IterationOutcomeTimedOut(TypedDict):
    """It ran out of time and was ended."""

    how: Literal["timed_out"]


class JournalPage(TypedDict, total=False):
    """A part of the journal."""

    before: Optional[Position]
    """Changes before this position; none: up to now."""
    limit: Optional[int]
    """At most so many; none: all."""


class Lease(TypedDict):
    """The loop that holds a session."""

    lease: int
    """The number of the event with which the loop took it."""
    session: Name
    """The session."""


class Limits(TypedDict, total=False):
    """The limits on notes. Zero or less means no limit. Entries of a log have no limit."""

    max_bytes: int
    """The most bytes of a keyed note's content."""
    max_notes: int
    """The most notes of a notebook. Only a new key can be refused for it."""
    max_place_bytes: int
    """The most bytes of a directory's own note. Its default is higher than that of a keyed note."""


class _Lineage(TypedDict):
    place: Place
    """The directory: its path, or a place of a repository where no checkout is known."""
    places: list[Place]
    """Every place whose notes apply, outermost first."""


class Lineage(_Lineage, total=False):
    """Every place whose notes apply at a directory. Whoever knows the file system makes it; nothing
    here asks a disk. The notes are read from home inwards: `~`, the directories above the checkout,
    then from its root down; in each directory those of its path come first, then those of its names
    in the repository, the one that counts last. The nearest come last.
    """

    checkouts: list[Checkout]
    """The checkouts that the directory is in, the innermost first."""
    is_elsewhere: bool
    """True if the reader works in another repository, where a short address would mean another
    note.
    """
    project: Optional[Place]
    """The project that the directory belongs to, by the name that new notes get; none in home and
    other places that are no project.
    """
    root: Optional[Place]
    """The project's directory here."""


class Matching(TypedDict):
    """Notes that match, or that are new to a reader, as text for a prompt."""

    notes: list[MatchingNote]
    """The notes in the text."""
    text: str
    """The text: first the notes shown as lines, then whole notes, each best match first; empty if
    none matches.
    """


class MatchingNote(TypedDict):
    """A note in a text, and how much of it."""

    note: Note
    """The note."""
    shown: Shown
    """How much of it."""

Name = str


class _NewEntry(TypedDict):
    content: Content
    """Its text."""
    type: str
    """Its type: `stuck`, `learning`, `tip`, `decision`"""


class NewEntry(_NewEntry, total=False):
    """An entry to add to a session's log."""

    iteration: Optional[int]
    """The iteration in which it was made."""
    resolves: Optional[str]
    """The `stuck` entry that it resolves: its id, `#3` for the only one of iteration 3, or words
    that only it has.
    """


class _Note(TypedDict):
    address: Address
    """Its address: `place:~/p`, `place:~/p#key`, `agent:name#key` or `session:name#id`."""
    author: Name
    """The author of its text."""
    content: Content
    """Its text."""
    created_at: str
    """When it was first written."""
    pinned: bool
    """Whether it is pinned."""
    preview: str
    """Its first line, shortened, with credentials masked."""
    revision: int
    """The number of its revision: 1, 2, 3 …."""
    updated_at: str
    """When it was last written, pinned or unpinned."""


class Note(_Note, total=False):
    """A note. Its fields have the same names in the command line, MCP and HTTP."""

    cites: list[Citation]
    """The code that it cites."""
    iteration: Optional[int]
    """The iteration of a log entry."""
    key: Optional[str]
    """Its key, or the id of a log entry; none for a directory's own note."""
    resolved_by: Optional[EntryId]
    """The id of the entry that resolved this one."""
    scope: str
    """The scope that it belongs to: `place:~/p`, `agent:name` or `session:name`."""
    secrets: list[str]
    """The rules that find a credential in its text."""
    seen: Optional[int]
    """How often a log entry was noted."""
    source: Source
    """The store that it is read from; left out for the store that was asked."""
    type: Optional[str]
    """The type of a log entry."""


class NoteBefore(TypedDict):
    """A note as it was before a change: enough to tell what was overwritten, and whether its text
    was the same.
    """

    hash: ContentHash
    """The SHA-256 of its text, in hexadecimal."""
    revision: int
    """The number of its revision."""


class _NotePage(TypedDict):
    notes: list[Note]
    """By kind of scope, scope and key; a place's own note comes before its keyed ones."""


class NotePage(_NotePage, total=False):
    """A page of notes."""

    damaged: list[str]
    """Notes that are left out because they are damaged: addresses, as far as they are known."""
    next: Optional[str]
    """The cursor of the next page; none: this is the last one."""


class NotedBefore(TypedDict):
    """How often an entry was noted before an iteration."""

    address: Address
    """The entry."""
    iteration: int
    """The iteration."""


class _NotesFound(TypedDict):
    notes: list[Note]
    """The notes."""


class NotesFound(_NotesFound, total=False):
    """Notes."""

    damage: Damage
    """The damage that was met."""

OperationId = str


class _Origin(TypedDict):
    created_at: str
    """When the note was first written. An existing note keeps its own time."""
    updated_at: str
    """When it was last written."""


class Origin(_Origin, total=False):
    """The author and the times of a note that comes from another program."""

    author: Optional[Name]
    """Who wrote it; none: the author of the change."""
    cites: list[Citation]
    """The code that it cites."""
    is_synced: bool
    """Whether it has been current since then, because it was in a file that is kept in sync."""


class _Page(TypedDict):
    of: Recent
    """Which notes, and their order."""


class Page(_Page, total=False):
    """A page of a scope's notes."""

    limit: Optional[int]
    """The most notes of the page; none: all."""
    skip: int
    """How many notes to skip."""

Place = str

Position = str

_ProblemWords = TypedDict("_ProblemWords", {"class": "Optional[Class]"}, total=False)


class _Problem(_ProblemWords):
    detail: str
    """The failure and its reason, in one line."""
    kind: str
    """The kind of the error: a stable word."""
    status: int
    """The HTTP status."""
    title: str
    """The kind in words."""
    type: str
    """The kind of the error, as a name: `urn:waynote:problem:not_found`. It never changes."""


class Problem(_Problem, total=False):
    """An error: `application/problem+json`."""

    current: Optional[Note]
    """The note as it is now, when a write expected another revision, or none over another's text.
    """
    fields: Optional[dict[str, Any]]
    """The fields of the error: a client in Rust makes the same error of them."""
    hint: Optional[str]
    """Advice."""


class _ProcessIdentity(TypedDict):
    boot: str
    """The boot id of the machine's kernel; empty if it has none."""
    host: str
    """The machine's name."""
    pid: int
    """The process id."""
    start: int
    """Its start time, in the ticks of the kernel; 0 if unknown."""


class ProcessIdentity(_ProcessIdentity, total=False):
    """The identity of a process: no other process ever has the same values."""

    namespace: Optional[int]
    """The PID namespace in which the process has its number: each container has its own. None if
    the system has no such thing, or if the identity was recorded by a version that did not ask for
    it.
    """


class _Receipt(TypedDict):
    budget: int
    """The budget, in tokens of the model that reads the block; 0: no limit."""
    claims: list[Claim]
    """The notes, in the order in which they got room. Notes that are left out because others fill
    the section are all listed only if the request asks for an explanation.
    """
    counted: int
    """The block's tokens, counted by o200k; 0 in the same case."""
    headings: int
    """The part of `counted` for headings and blank lines. Together with the tokens of the notes and
    of the last line it adds up to `counted`.
    """
    last_line: int
    """The part of `counted` for the last line."""
    left_out: int
    """Notes that are not shown."""
    lines: int
    """Notes that are shortened to a line."""
    shown: int
    """Notes that are shown whole, or in the index."""
    tokens: int
    """The block's tokens, counted for the same model. Without a limit it is 0, unless the request
    asks for an explanation: counting is most of the work of a block.
    """


class Receipt(_Receipt, total=False):
    """How each note is shown, and the totals."""

    cites: int
    """How many of the notes in it cite code: their labels change without a write."""
    damaged: list[str]
    """Notes that are damaged, and so not in the block: addresses, as far as they are known. A line
    of the block names the first of them.
    """

Recent = Union["RecentKeyed", "RecentByKey", "RecentEntries"]
"""Which notes of a scope to read in pages, and in which order."""


class RecentByKeyByKey(TypedDict):
    """All notes by key: a place's own note first."""

    scope: Scope
    """The scope of the notes."""


class RecentByKey(TypedDict):
    """All notes by key: a place's own note first."""

    by_key: RecentByKeyByKey
    """All notes by key: a place's own note first."""


class _RecentEntriesEntries(TypedDict):
    session: Name
    """The session."""
    type: str
    """Their type."""


class RecentEntriesEntries(_RecentEntriesEntries, total=False):
    """Entries of one type, latest iteration first, and within it the last added first. Entries
    without an iteration come last.
    """

    before: Optional[int]
    """Only entries of earlier iterations than this one."""
    open: bool
    """Only entries that are not resolved."""


class RecentEntries(TypedDict):
    """Entries of one type, latest iteration first, and within it the last added first. Entries
    without an iteration come last.
    """

    entries: RecentEntriesEntries
    """Entries of one type, latest iteration first, and within it the last added first. Entries
    without an iteration come last.
    """


class RecentKeyedKeyed(TypedDict):
    """Keyed notes, most recently updated first; notes of the same time by key."""

    pinned: bool
    """Whether to read the pinned notes or the others."""
    scope: Scope
    """The scope of the notes."""


class RecentKeyed(TypedDict):
    """Keyed notes, most recently updated first; notes of the same time by key."""

    keyed: RecentKeyedKeyed
    """Keyed notes, most recently updated first; notes of the same time by key."""


class _RecordRequest(TypedDict):
    events: list[SessionEvent]
    """The events."""
    session: Name
    """The session."""
    stamp: Stamp
    """The author and the time."""


class RecordRequest(_RecordRequest, total=False):
    """Events of a session to record, all of them or none."""

    lease: Optional[int]
    """The number of the `loop_started` event of the loop that records them."""


class RecordedEvent(TypedDict):
    """A stored event."""

    author: Name
    """Its author."""
    event: SessionEvent
    """The event."""
    number: int
    """Its number in the session: 1, 2, 3 …."""
    position: Position
    """Its position in the whole store. Events written by older versions share the position of the
    change before them.
    """
    recorded_at: str
    """Its time."""

Replaces = Literal["any", "read", "own", "any_or_own"]
"""Which texts a change may replace, delete or move."""


class Report(TypedDict):
    """The result of checking a whole store."""

    contents: int
    """The number of texts whose hash was computed again."""
    notes: int
    """The number of current notes that were checked."""
    problems: list[str]
    """A description of each damage; empty when there is none."""
    revisions: int
    """The number of journal rows that were checked."""


class _Request(TypedDict):
    agent: Name
    """The agent that reads the block, and whose notebook it shows."""
    lineage: Lineage
    """The place of the agent, with every place whose notes apply there. Style faithful has those of
    the place's own path, and of its name in a repository.
    """
    now: str
    """The current time, for the ages in style faithful."""
    style: Style
    """How the block is written."""


class Request(_Request, total=False):
    """A request for a block: for which agent, at which place, and the options."""

    as_of: Optional[AsOf]
    """The point in time of the notes; none: now."""
    author: Optional[Name]
    """The author that the reader writes as, whose notes need no author in the block; none: the
    agent by its name.
    """
    budget: Budget
    """The token budget. Style faithful has none: it prints everything, as its sources do."""
    explain: bool
    """Whether the receipt lists every note, and counts tokens even without a limit."""
    iteration: Optional[int]
    """The iteration that the agent runs. The block shows only earlier ones; none: all iterations.
    """
    only: Optional[Section]
    """Only this section; none: all sections."""
    query: Optional[str]
    """A query to choose the notes of the index by; none: the latest notes."""
    session: Optional[Name]
    """The session that the agent runs in, if any."""
    tools: Optional[Tools]
    """The tools of the reader, which the block names if notes are shortened or left out; none: it
    names no tools.
    """

Residue = Union["ResidueLent", "ResidueForeign", "ResidueRead", "ResidueFailed", "ResidueDatabase"]
"""Why old bytes of a forgotten text may still be in the store's files, although no note holds it.
"""


class ResidueDatabase(TypedDict):
    """The files are a database server's. What is left in them, and what its administrator can do.
    """

    database: str
    """The files are a database server's. What is left in them, and what its administrator can do.
    """


class ResidueFailed(TypedDict):
    """Rebuilding the file failed."""

    failed: str
    """Rebuilding the file failed."""

ResidueForeign = Literal["foreign"]
"""The database holds another program's tables, so waynote does not rebuild it."""

ResidueLent = Literal["lent"]
"""The connection belongs to an application, which has to clean its free pages and its WAL itself.
"""

ResidueRead = Literal["read"]
"""Another process is still reading an older state of the store."""


class _Revision(TypedDict):
    action: str
    """`save`, `sync`, `pin`, `unpin`, `delete`, `restore`, `undo`, `redo`, `repeat` or `forget`."""
    address: Address
    """The note."""
    author: Name
    """Its author."""
    recorded_at: str
    """When the store recorded it."""
    revision: int
    """The number of the revision."""


class Revision(_Revision, total=False):
    """A change of a note, as the journal has it."""

    forgotten_at: Optional[str]
    """When its text was forgotten."""
    forgotten_by: Optional[Name]
    """The person or program that forgot its text."""
    note: Optional[Note]
    """The note after the change; none if it was deleted or its text was forgotten."""
    position: Optional[Position]
    """Its position in the whole store; none for a text that is so far only in a file kept in sync.
    """
    token: Optional[Name]
    """The holder of the token with which it was written."""
    undoes: Optional[int]
    """The revision that an undo or a redo took back."""


class _RevisionPage(TypedDict):
    revisions: list[Revision]
    """Latest first."""


class RevisionPage(_RevisionPage, total=False):
    """A page of revisions."""

    next: Optional[str]
    """The cursor of the next page; none: this is the last one."""


class _SaveNote(TypedDict):
    content: Content
    """The text."""


class SaveNote(_SaveNote, total=False):
    """A text to save as a note."""

    limits: Limits
    """The limits that apply."""
    pinned: Optional[bool]
    """Whether to pin or unpin the note; none: leave it as it is."""

Scope = str

ScopeKind = Literal["place", "agent", "session"]
"""The three kinds of scope."""


class ScopeSummary(TypedDict):
    """A scope and the number of its notes."""

    notes: int
    """The number of its notes."""
    scope: Scope
    """The scope."""

SearchKind = Literal["place", "key", "log"]
"""A kind of note."""


class _SearchRequest(TypedDict):
    query: str
    """Plain words (any of them, best match first), `"phrases"`, `prefix*`, `-not`. Any text is a
    valid query. A query of exclusions alone finds all other notes, newest first. An empty query
    finds nothing.
    """


class SearchRequest(_SearchRequest, total=False):
    """A search request."""

    context: bool
    """True for text that is handed in as context: a prompt, the output of a program. It is never
    refused for its length: it is cut to its rarest words, `Limits::QUERY_CLAUSES` of them.
    """
    history: bool
    """Search every revision with a text, including deleted and superseded ones, instead of the
    current notes.
    """
    kinds: list[SearchKind]
    """Only notes of these kinds; empty: all kinds."""
    limit: Optional[int]
    """The maximum number of hits; null: all."""
    scopes: list[Scope]
    """Only notes of these scopes; empty: all scopes."""

Secrets = Union["SecretsRefuseAll", "SecretsAllow", "SecretsAllowAll"]
"""Which credentials a caller may write."""


class SecretsAllow(TypedDict):
    """Credentials that these rules find, given by name."""

    allow: list[str]
    """Credentials that these rules find, given by name."""

SecretsAllowAll = Literal["allow_all"]
"""All."""

SecretsRefuseAll = Literal["refuse_all"]
"""None: a write with a credential is refused."""

Section = Literal["pinned", "places", "index", "iterations"]
"""The sections of the block, in the order in which they are printed."""


class SectionText(TypedDict):
    """A section of a block."""

    section: Section
    """The section."""
    text: str
    """Its text."""


class SessionAnswer(TypedDict):
    """An answer to a question."""

    answer: str
    """The answer."""
    at: str
    """When."""
    by: Name
    """The author of the answer."""

SessionEvent = Union[
    "SessionEventLoopStarted",
    "SessionEventLoopEnded",
    "SessionEventIterationStarted",
    "SessionEventIterationEnded",
    "SessionEventCompleted",
    "SessionEventBlocked",
    "SessionEventAnswered",
    "SessionEventStopRequested",
    "SessionEventArchived",
    "SessionEventUnarchived",
    "SessionEventResolved",
]
"""An event of a session."""


class SessionEventAnswered(TypedDict):
    """A person answered the last question."""

    answer: str
    """The answer."""
    event: Literal["answered"]


class SessionEventArchived(TypedDict):
    """A person archived the session, or it was forgotten: lists leave it out until its next event.
    """

    event: Literal["archived"]


class SessionEventBlocked(TypedDict):
    """The agent needs a person to continue."""

    event: Literal["blocked"]
    iteration: int
    """The iteration in which it said so."""
    question: str
    """The question for the person."""


class SessionEventCompleted(TypedDict):
    """The agent said that the task is done."""

    event: Literal["completed"]
    iteration: int
    """The iteration in which it said so."""
    summary: str
    """What was done."""


class _SessionEventIterationEnded(TypedDict):
    attempts: int
    """How often the agent was started."""
    event: Literal["iteration_ended"]
    iteration: int
    """Its number."""
    notes_added: int
    """The number of entries that it added to the log."""
    outcome: IterationOutcome
    """How the agent ended in the last attempt."""


class SessionEventIterationEnded(_SessionEventIterationEnded, total=False):
    """The live iteration ended."""

    duration_ms: Optional[int]
    """How long all attempts took together; none if nothing could measure it."""
    said: Optional[str]
    """The last output of an agent that failed, in one line."""


class _SessionEventIterationStarted(TypedDict):
    event: Literal["iteration_started"]
    iteration: int
    """Its number, larger than all earlier ones."""


class SessionEventIterationStarted(_SessionEventIterationStarted, total=False):
    """An iteration began. It is the live one until it ends."""

    block: Optional[IterationBlock]
    """The block of notes in its prompt; none if an older version recorded the event."""


class _SessionEventLoopEnded(TypedDict):
    event: Literal["loop_ended"]
    reason: EndReason
    """Why."""


class SessionEventLoopEnded(_SessionEventLoopEnded, total=False):
    """The loop ended, or was found dead."""

    detail: Optional[str]
    """Details, in lines: the evidence of a stall, or the error."""


class _SessionEventLoopStarted(TypedDict):
    directory: str
    """The directory it runs in, absolute."""
    event: Literal["loop_started"]
    holder: ProcessIdentity
    """The process that runs it."""


class SessionEventLoopStarted(_SessionEventLoopStarted, total=False):
    """A loop took the session. No other loop can take it until this one has ended."""

    iterations: Optional[int]
    """How many iterations the run should have, if that was given."""


class SessionEventResolved(TypedDict):
    """Another entry resolved a `stuck` entry, which is not shown in prompts until it is noted
    again.
    """

    by: EntryId
    """The entry that resolved it."""
    entry: EntryId
    """The entry."""
    event: Literal["resolved"]


class SessionEventStopRequested(TypedDict):
    """A person asked the loop that holds the session to stop after its iteration."""

    event: Literal["stop_requested"]


class SessionEventUnarchived(TypedDict):
    """A person put the session back on the list."""

    event: Literal["unarchived"]


class _SessionPage(TypedDict):
    sessions: list[SessionSummary]
    """By name."""


class SessionPage(_SessionPage, total=False):
    """A page of sessions."""

    next: Optional[str]
    """The cursor of the next page; none: this is the last one."""


class _SessionSummary(TypedDict):
    notes: int
    """The number of its entries."""
    session: Name
    """Its name."""
    state: str
    """Its state: `no loop has run`, `running`, `waiting for an answer`, `answered and ready to go
    on`, `done`, `stalled`, `failed`, `lost`, `out of time`, `stopped` or `interrupted`.
    """


class SessionSummary(_SessionSummary, total=False):
    """A session, and the state of its loop."""

    answer: Optional[SessionAnswer]
    """The answer to the last question, until an iteration has finished its turn with it."""
    last_iteration: Optional[int]
    """The last iteration that a loop began."""
    question: Optional[str]
    """The question for a person that is not answered yet."""

Shown = Literal["whole", "line", "left_out"]
"""How much of a note a block shows."""


class ShownNote(TypedDict):
    """A note that a reader was shown, and how much of it."""

    address: Address
    """The note."""
    revision: int
    """The revision; of a note of others its [edition](Note::edition)."""
    shown: Shown
    """How much of it."""


class Silence(TypedDict, total=False):
    """How long ago a loop was heard of."""

    silence_ms: Optional[int]
    """In milliseconds; none: it never was, or it no longer holds the session."""

Source = Literal["own", "own_over_shared", "own_over_team", "shared", "team"]
"""Where a note is read from, seen by a session that reads notes of others beside its own store."""


class _Stamp(TypedDict):
    author: Name
    """The author: `person`, `agent:NAME`, `import:FORMAT`, or any other name that the caller uses.
    """
    now: str
    """The time of the change, by the writer's clock."""


class Stamp(_Stamp, total=False):
    """Who writes, and when. Every change takes one."""

    cites: Optional[list[Citation]]
    """The code that the written notes cite. None: what their texts name between backquotes,
    `path:line`, and what was cited beside the text before.
    """
    lease: Optional[EventAddress]
    """The event with which a loop took its session, if this is written inside that loop: refused
    when the loop has lost the session. What a person writes has none.
    """
    named: list[Citation]
    """The code that the text names, as the caller's store has looked it up."""
    operation: Optional[OperationId]
    """The id of this call of `Store::apply` or `Store::record`. A call that was already carried out
    under the same id is not repeated: it returns the first answer. Undoing the last change and
    forgetting ignore the id.
    """
    replaces: Replaces
    """Which texts it may replace. None: what was read, and its own."""
    secrets: Secrets
    """Which credentials the written text may contain."""
    writer: Optional[Writer]
    """The process that writes, if the author is a person only outside of loops. What it writes
    inside one is its [agent's](Writer::agent).
    """


class Step(TypedDict):
    """The call that writes a row, and the index of the change or event in it."""

    operation: OperationId
    """The call."""
    step: int
    """The index, from 0."""

StoreId = str

Style = Literal["stable", "faithful"]
"""How the block is written."""


class Tools(TypedDict):
    """The names of the tools with which a reader looks up what a block does not show."""

    search: str
    """Searches notes by their text."""
    show: str
    """Shows a note whole, by its address."""


class UndoNote(TypedDict, total=False):
    """A condition of an undo."""

    last: Optional[int]
    """The revision that must be the note's last one."""


class Version(TypedDict, total=False):
    """The version of a store, to be compared with an earlier one of the same open store: equal
    versions mean equal notes.
    """

    changes: Optional[str]
    """A number that changes with every change that the position does not show: on a connection of
    an application, positions are reused after its transaction is rolled back. A text, or null.
    """
    position: Optional[Position]
    """The last position of the journal."""
    written_at: Optional[str]
    """When a part of the store was last written that is only recognized by its time. It may be
    written again within the same tick of the clock.
    """

Why = Union["WhyFits", "WhyListed", "WhyTooLong", "WhyNoRoom", "WhyBehind"]
"""Why so much of a note is shown."""

WhyBehind = Literal["behind"]
"""Newer notes, or better matches, filled the section. A full list drops several notes at a time."""

WhyFits = Literal["fits"]
"""There was room."""

WhyListed = Literal["listed"]
"""The index shows a line of every note."""


class WhyNoRoomNoRoom(TypedDict):
    """Not even the line of the note fits."""

    left: int
    """Tokens that were left."""
    takes: int
    """Tokens of the line."""


class WhyNoRoom(TypedDict):
    """Not even the line of the note fits."""

    no_room: WhyNoRoomNoRoom
    """Not even the line of the note fits."""


class WhyTooLongTooLong(TypedDict):
    """The whole note needs more tokens than its section had left."""

    left: int
    """Tokens that were left."""
    takes: int
    """Tokens of the whole note, or just more than `left`, unless the request asks for an
    explanation. A text with very few tokens for its length takes one token for every 16 bytes.
    """


class WhyTooLong(TypedDict):
    """The whole note needs more tokens than its section had left."""

    too_long: WhyTooLongTooLong
    """The whole note needs more tokens than its section had left."""


class _Writer(TypedDict):
    above: list[Ancestor]
    """The processes above it, the nearest first."""
    boot: str
    """The boot id of the machine's kernel; empty if it has none."""
    host: str
    """The machine's name."""


class Writer(_Writer, total=False):
    """The process that a change comes from. A store can tell from it whether a loop runs that
    process: then an agent writes, and not a person.
    """

    agent: Optional[Name]
    """The author of what it writes inside a loop in a person's name; none: that is refused."""
    namespace: Optional[int]
    """The PID namespace in which the processes have their numbers; none if the system has no such
    thing.
    """


class SessionsEvent(RecordedEvent):
    """A stored event, with its session."""

    session: Name
    """The session."""


class Client(Transport):
    """A store on a server: a method for each operation of its API."""

    def context(
        self,
        *,
        agent: Optional[str] = None,
        place: Optional[str] = None,
        session: Optional[str] = None,
        iteration: Optional[int] = None,
        budget: Optional[int] = None,
        style: Optional[Style] = None,
        only: Optional[Section] = None,
        query: Optional[str] = None,
        as_of: Optional[str] = None,
        explain: Optional[bool] = None,
    ) -> Block:
        """The block of notes that applies, for a prompt.

        :param agent: The agent whose notebook it is; without it `default`.
        :param place: The place: `~/p`, or `repo:github.com/acme/shop//src`, whose notes and those
            of the directories above apply; without it home.
        :param session: The session whose log it is.
        :param iteration: The current iteration: entries of earlier ones are shown.
        :param budget: The most tokens; 0: no limit. Without it 2000.
        :param style: How it is written.
        :param only: Only this section.
        :param query: Choose notes by how well they match this text, not by how new they are.
        :param as_of: As it was at a time (RFC 3339) or a position of the journal.
        :param explain: Say of each note how it is shown, and why.
        """
        answer: Block = self._call(
            "GET",
            "/context",
            query={"agent": agent, "place": place, "session": session, "iteration": iteration,
                "budget": budget, "style": style, "only": only, "query": query, "as_of": as_of,
                "explain": explain},
        )
        return answer

    def list_notes(
        self,
        *,
        scope: Optional[str] = None,
        kind: Optional[str] = None,
        at: Optional[str] = None,
        below: Optional[str] = None,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> NotePage:
        """Notes as they are now, in pages.

        :param scope: Only notes of this scope: `place:~/p`, `repo:github.com/acme/shop//src`,
            `agent:NAME`, `session:NAME`.
        :param kind: Only notes of scopes of this kind: `place`, `agent` or `session`.
        :param at: Only notes that apply at this directory, `~/p` or
            `repo:github.com/acme/shop//src`: its own and those of the directories above it,
            outermost first.
        :param below: Only notes of this directory and of the directories below it.
        :param cursor: Where the page begins: `next` of the page before.
        :param limit: The most notes of the page, from 1 to 500; without it 50.
        """
        answer: NotePage = self._call(
            "GET",
            "/notes",
            query={"scope": scope, "kind": kind, "at": at, "below": below, "cursor": cursor,
                "limit": limit},
        )
        return answer

    def read_note(self, address: str, *, as_of: Optional[str] = None) -> Note:
        """A note. Its entity tag is its revision.

        :param address: The note: `agent:NAME#key`, `place:~/p`, `place:~/p#key`, `session:NAME#id`.
        :param as_of: The note as it was at this time (RFC 3339).
        """
        answer: Note = self._call("GET", f"/notes/{part(address)}", query={"as_of": as_of})
        return answer

    def save_note(
        self,
        address: str,
        content: Content,
        *,
        limits: Optional[Limits] = None,
        pinned: Optional[bool] = None,
        author: Optional[str] = None,
        lease: Optional[str] = None,
        if_revision: Optional[int] = None,
        idempotency_key: Optional[str] = None,
    ) -> Note:
        """Saves a note: creates it, or gives it a new revision.

        :param address: The note: `agent:NAME#key`, `place:~/p`, `place:~/p#key`, `session:NAME#id`.
        :param content: The text.
        :param limits: The limits that apply.
        :param pinned: Whether to pin or unpin the note; none: leave it as it is.
        :param author: The author of the change, if the token may write as that author: `person`,
            `agent:NAME`. Without it, the token's own; on a server without tokens, the agent whose
            notebook is written, and a person elsewhere.
        :param lease: The event with which a loop took its session, `session:NAME#event-N`, if this
            is written inside that loop: refused when the loop has lost the session.
        :param if_revision: The revision that must be current; 0: only if there is no such note.
        :param idempotency_key: The same text for the same call: it is carried out once.
        """
        answer: Note = self._call(
            "PUT",
            f"/notes/{part(address)}",
            query={"author": author, "lease": lease},
            body={"content": content, "limits": limits, "pinned": pinned},
            if_revision=if_revision,
            idempotency_key=idempotency_key,
            may_repeat=True,
        )
        return answer

    def delete_note(
        self,
        address: str,
        *,
        author: Optional[str] = None,
        lease: Optional[str] = None,
        if_revision: Optional[int] = None,
        idempotency_key: Optional[str] = None,
    ) -> DeletedNote:
        """Deletes a note. Its history stays, and `undo` brings it back.

        :param address: The note: `agent:NAME#key`, `place:~/p`, `place:~/p#key`, `session:NAME#id`.
        :param author: The author of the change, if the token may write as that author: `person`,
            `agent:NAME`. Without it, the token's own; on a server without tokens, the agent whose
            notebook is written, and a person elsewhere.
        :param lease: The event with which a loop took its session, `session:NAME#event-N`, if this
            is written inside that loop: refused when the loop has lost the session.
        :param if_revision: The revision that must be current; 0: only if there is no such note.
        :param idempotency_key: The same text for the same call: it is carried out once.
        """
        answer: DeletedNote = self._call(
            "DELETE",
            f"/notes/{part(address)}",
            query={"author": author, "lease": lease},
            if_revision=if_revision,
            idempotency_key=idempotency_key,
            may_repeat=True,
        )
        return answer

    def history(
        self,
        address: str,
        *,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> RevisionPage:
        """The revisions of a note, latest first, also of one that was deleted.

        :param address: The note: `agent:NAME#key`, `place:~/p`, `place:~/p#key`, `session:NAME#id`.
        :param cursor: Where the page begins: `next` of the page before.
        :param limit: The most items of the page, from 1 to 500; without it 50.
        """
        answer: RevisionPage = self._call(
            "GET",
            f"/notes/{part(address)}/history",
            query={"cursor": cursor, "limit": limit},
        )
        return answer

    def undo_note(
        self,
        address: str,
        *,
        last: Optional[int] = None,
        author: Optional[str] = None,
        lease: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Applied:
        """Undoes the last change of a note that is not undone yet.

        :param address: The note: `agent:NAME#key`, `place:~/p`, `place:~/p#key`, `session:NAME#id`.
        :param last: The revision that must be the note's last one.
        :param author: The author of the change, if the token may write as that author: `person`,
            `agent:NAME`. Without it, the token's own; on a server without tokens, the agent whose
            notebook is written, and a person elsewhere.
        :param lease: The event with which a loop took its session, `session:NAME#event-N`, if this
            is written inside that loop: refused when the loop has lost the session.
        :param idempotency_key: The same text for the same call: it is carried out once.
        """
        answer: Applied = self._call(
            "POST",
            f"/notes/{part(address)}/undo",
            query={"author": author, "lease": lease},
            body={"last": last},
            idempotency_key=idempotency_key,
            may_repeat=True,
        )
        return answer

    def search(
        self,
        q: str,
        *,
        kind: Optional[SearchKind] = None,
        scope: Optional[str] = None,
        place: Optional[str] = None,
        agent: Optional[str] = None,
        limit: Optional[int] = None,
        history: Optional[bool] = None,
    ) -> HitsFound:
        """The notes that match a query, best match first; those that apply at `place` and to `agent`
        come before others.

        :param q: Plain words (any of them), "phrases", prefix*, -not; any text is a query.
        :param kind: Only notes of this kind.
        :param scope: Only notes of this scope: `place:~/p`, `repo:github.com/acme/shop//src`,
            `agent:NAME`, `session:NAME`.
        :param place: First the notes that apply at this place, `~/p` or
            `repo:github.com/acme/shop//src`, and those of this agent.
        :param agent: The agent whose notebook comes first.
        :param limit: The most notes, from 1 to 500.
        :param history: Search every revision, including those of deleted notes.
        """
        answer: HitsFound = self._call(
            "GET",
            "/search",
            query={"q": q, "kind": kind, "scope": scope, "place": place, "agent": agent, "limit":
                limit, "history": history},
        )
        return answer

    def list_sessions(
        self,
        *,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> SessionPage:
        """The sessions that have entries or in which a loop ran, with the state of each.

        :param cursor: Where the page begins: `next` of the page before.
        :param limit: The most items of the page, from 1 to 500; without it 50.
        """
        answer: SessionPage = self._call(
            "GET",
            "/sessions",
            query={"cursor": cursor, "limit": limit},
        )
        return answer

    def add_entry(
        self,
        session: str,
        type: str,
        content: Content,
        *,
        iteration: Optional[int] = None,
        resolves: Optional[str] = None,
        author: Optional[str] = None,
        lease: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Note:
        """Adds an entry to a session's log. A text that the log has already is counted, not added
        again.

        :param session: The session.
        :param type: Its type: `stuck`, `learning`, `tip`, `decision`
        :param content: Its text.
        :param iteration: The iteration in which it was made.
        :param resolves: The `stuck` entry that it resolves: its id, `#3` for the only one of
            iteration 3, or words that only it has.
        :param author: The author of the change, if the token may write as that author: `person`,
            `agent:NAME`. Without it, the token's own; on a server without tokens, the agent whose
            notebook is written, and a person elsewhere.
        :param lease: The event with which a loop took its session, `session:NAME#event-N`, if this
            is written inside that loop: refused when the loop has lost the session.
        :param idempotency_key: The same text for the same call: it is carried out once.
        """
        answer: Note = self._call(
            "POST",
            f"/sessions/{part(session)}/entries",
            query={"author": author, "lease": lease},
            body={"type": type, "content": content, "iteration": iteration, "resolves": resolves},
            idempotency_key=idempotency_key,
            may_repeat=True,
        )
        return answer

    def changes(self, *, after: Optional[str] = None) -> Iterator[FeedMessage]:
        """What happens from now on, or after an item, in one order: changes of notes, events of
        sessions, and forgettings.

        :param after: After the item with this id; `start`: at the very first. Without it, and
            without the header `Last-Event-ID`, the feed begins now.
        """
        return self._feed("GET", "/changes", query={"after": after})

    def forget(
        self,
        target: ForgetTarget,
        stamp: Stamp,
        *,
        dry_run: Optional[bool] = None,
        everywhere: Optional[bool] = None,
        up_to: Optional[Position] = None,
    ) -> Forgotten:
        """Forgets the text of a note, or what was said in an event: the only call that destroys
        anything.

        :param target: A note, a revision of one, an event, or what was said in a session:
            `agent:name#key`, `agent:name#key@3`, `session:name#event-3`, `session:name`.
        :param stamp: The author and the time.
        :param dry_run: Only say what would be forgotten.
        :param everywhere: Also in other notes that have the same text.
        :param up_to: The `up_to` of the dry run that was looked at. A text that was written later
            is not forgotten: the answer is 409. Left out: whatever is there.
        """
        answer: Forgotten = self._call(
            "POST",
            "/forget",
            body={"target": target, "stamp": stamp, "dry_run": dry_run, "everywhere": everywhere,
                "up_to": up_to},
        )
        return answer

    def verify(self) -> Report:
        """Checks the whole store for damage."""
        answer: Report = self._call("GET", "/verify")
        return answer

    def openapi(self) -> Any:
        """This document."""
        return self._call("GET", "/openapi.json")

    def read(
        self,
        *,
        all_leases: Optional[bool] = None,
        counts: Optional[list[Count]] = None,
        entry_types: Optional[list[Name]] = None,
        event_sessions: Optional[bool] = None,
        events: Optional[list[EventPage]] = None,
        feed: Optional[list[FeedPage]] = None,
        histories: Optional[list[Address]] = None,
        journal: Optional[list[JournalPage]] = None,
        kinds: Optional[list[ScopeKind]] = None,
        last_iterations: Optional[list[Name]] = None,
        leases: Optional[list[Name]] = None,
        noted_before: Optional[list[NotedBefore]] = None,
        notes: Optional[list[Address]] = None,
        operations: Optional[list[OperationId]] = None,
        pages: Optional[list[Page]] = None,
        scopes: Optional[list[Scope]] = None,
        steps: Optional[list[Position]] = None,
        store_id: Optional[bool] = None,
        summaries: Optional[list[ScopeKind]] = None,
        version: Optional[bool] = None,
    ) -> Answers:
        """Answers many questions at once.

        :param all_leases: Whether to answer with the loops of all sessions.
        :param counts: Numbers of notes.
        :param entry_types: Sessions, for the types of their entries.
        :param event_sessions: Whether to answer with the sessions that have events.
        :param events: Parts of sessions' events.
        :param feed: Parts of the feed.
        :param histories: Notes, for their revisions.
        :param journal: Parts of the journal.
        :param kinds: Kinds of scopes, for all notes of all of them, by the scope's name and key.
        :param last_iterations: Sessions, for the largest iteration in any revision of their current
            entries.
        :param leases: Sessions, for the loop that holds each.
        :param noted_before: How often entries were noted before an iteration: revisions with an
            earlier iteration that are not deleted.
        :param notes: Notes as they are now.
        :param operations: Ids of calls, for the rows that each wrote.
        :param pages: Pages of notes of a scope.
        :param scopes: Scopes, for all their notes by key.
        :param steps: Positions, for the call that wrote each row.
        :param store_id: Whether to answer with the store's id.
        :param summaries: Kinds of scopes, for the scopes that have notes, by name.
        :param version: Whether to answer with the store's version.
        """
        answer: Answers = self._call(
            "POST",
            "/read",
            body={"all_leases": all_leases, "counts": counts, "entry_types": entry_types,
                "event_sessions": event_sessions, "events": events, "feed": feed, "histories":
                histories, "journal": journal, "kinds": kinds, "last_iterations": last_iterations,
                "leases": leases, "noted_before": noted_before, "notes": notes, "operations":
                operations, "pages": pages, "scopes": scopes, "steps": steps, "store_id": store_id,
                "summaries": summaries, "version": version},
        )
        return answer

    def apply(self, changes: list[Change], stamp: Stamp) -> ApplyAnswer:
        """Applies changes, all of them or none.

        :param changes: The changes.
        :param stamp: The author and the time.
        """
        answer: ApplyAnswer = self._call(
            "POST",
            "/apply",
            body={"changes": changes, "stamp": stamp},
        )
        return answer

    def record(
        self,
        session: Name,
        events: list[SessionEvent],
        stamp: Stamp,
        *,
        lease: Optional[int] = None,
    ) -> None:
        """Records events of a session, all of them or none.

        :param session: The session.
        :param events: The events.
        :param stamp: The author and the time.
        :param lease: The number of the `loop_started` event of the loop that records them.
        """
        self._call(
            "POST",
            "/record",
            body={"session": session, "events": events, "stamp": stamp, "lease": lease},
        )

    def as_of(self, scopes: list[Scope], moment: AsOf) -> NotesFound:
        """The notes of some scopes, as they were.

        :param scopes: The scopes.
        :param moment: When.
        """
        answer: NotesFound = self._call(
            "POST",
            "/as-of",
            body={"scopes": scopes, "moment": moment},
        )
        return answer

    def find(
        self,
        query: str,
        *,
        context: Optional[bool] = None,
        history: Optional[bool] = None,
        kinds: Optional[list[SearchKind]] = None,
        limit: Optional[int] = None,
        scopes: Optional[list[Scope]] = None,
    ) -> HitsFound:
        """Searches notes, best match first.

        :param query: Plain words (any of them, best match first), `"phrases"`, `prefix*`, `-not`.
            Any text is a valid query. A query of exclusions alone finds all other notes, newest
            first. An empty query finds nothing.
        :param context: True for text that is handed in as context: a prompt, the output of a
            program. It is never refused for its length: it is cut to its rarest words,
            `Limits::QUERY_CLAUSES` of them.
        :param history: Search every revision with a text, including deleted and superseded ones,
            instead of the current notes.
        :param kinds: Only notes of these kinds; empty: all kinds.
        :param limit: The maximum number of hits; null: all.
        :param scopes: Only notes of these scopes; empty: all scopes.
        """
        answer: HitsFound = self._call(
            "POST",
            "/search",
            body={"query": query, "context": context, "history": history, "kinds": kinds, "limit":
                limit, "scopes": scopes},
        )
        return answer

    def render(self, request: Request, part: BlockPart) -> BlockAnswer:
        """Makes a block, or finds the notes of one that are new to a reader or match a query.

        :param request: For whom, where, and the options.
        :param part: What is wanted of the block.
        """
        answer: BlockAnswer = self._call(
            "POST",
            "/context",
            body={"request": request, "part": part},
        )
        return answer

    def beat(self, session: Name, lease: int) -> None:
        """Says that the loop that holds a session lives. No event, and no position.

        :param session: The session.
        :param lease: The number of the event with which the loop took it.
        """
        self._call("POST", "/beat", body={"session": session, "lease": lease})

    def silence(self, session: Name, lease: int) -> Silence:
        """Tells how long ago the loop that holds a session was heard of.

        :param session: The session.
        :param lease: The number of the event with which the loop took it.
        """
        answer: Silence = self._call("POST", "/silence", body={"session": session, "lease": lease})
        return answer
