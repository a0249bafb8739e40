// Made by clients/generate.py from docs/openapi.json. Do not edit.

import { Transport, type CallOptions, type FeedMessage } from "./http.mjs";

export type Address = string;

export type AddressAt = string;

/** A process above a writing one. */
export interface Ancestor {
  /** The process id. */
  pid: number;
  /** Its start time, in the ticks of the kernel. */
  start: number;
}

/** The answers to an `Ask`. Each field answers that of the same name. */
export interface Answers {
  /** The `loop_started` event of every loop that holds a session, by session. */
  all_leases?: SessionsEvent[];
  /** Numbers of notes. */
  counts?: number[];
  /** Notes that are damaged, and so left out of the lists of notes, scopes and changes among these answers: addresses, as far as they are known. A single note that is damaged is the error of the whole reading. */
  damaged?: string[];
  /** The types of each session's entries, by word. */
  entry_types?: string[][];
  /** The sessions that have events, by name. */
  event_sessions?: Name[];
  /** Events of each session, latest first. */
  events?: RecordedEvent[][];
  /** Everything that happened after each point, in order. */
  feed?: FeedEntry[][];
  /** The revisions of each note, oldest first. */
  histories?: Revision[][];
  /** Parts of the journal, latest first. */
  journal?: Revision[][];
  /** The notes of all scopes of each kind. */
  kinds?: Note[][];
  /** The last iteration of an entry of each session. */
  last_iterations?: (number | null)[];
  /** The `loop_started` event of the loop that holds each session; null if none does. */
  leases?: (RecordedEvent | null)[];
  /** How often each entry was noted before an iteration. */
  noted_before?: number[];
  /** Notes; null for one that does not exist. */
  notes?: (Note | null)[];
  /** The rows of each call, by step; nothing when there was no such call, or it changed nothing. */
  operations?: Done[][];
  /** Pages of notes. */
  pages?: Note[][];
  /** For each page of entries before an iteration, how often each of them was noted before it; empty for other pages. */
  pages_noted?: number[][];
  /** The notes of each scope. */
  scopes?: Note[][];
  /** The call that wrote the row at each position, and as which of its changes; null where nothing is. */
  steps?: (Step | null)[];
  /** The store's id. */
  store_id?: StoreId | null;
  /** The scopes of each kind that have notes. */
  summaries?: ScopeSummary[][];
  /** The store's version. */
  version?: Version;
}

/** The result of a change. */
export interface Applied {
  /** The note. */
  address: Address;
  /** The note before the change; none if it did not exist. */
  before?: NoteBefore | null;
  /** Whether anything changed. */
  changed: boolean;
  /** The note after the change; none if it does not exist. */
  note?: Note | null;
}

/** The results of changes, in their order. */
export interface ApplyAnswer {
  /** The result of each change. */
  applied: Applied[];
}

/** Changes to apply, all of them or none. */
export interface ApplyRequest {
  /** The changes. */
  changes: Change[];
  /** The author and the time. */
  stamp: Stamp;
}

/** A point in the history of a whole store. */
export type AsOf = AsOfPosition | AsOfTime;

/** After the change at this position of the journal. */
export interface AsOfPosition {
  /** After the change at this position of the journal. */
  position: Position;
}

/** A request for notes as they were. */
export interface AsOfRequest {
  /** When. */
  moment: AsOf;
  /** The scopes. */
  scopes: Scope[];
}

/** After the last change of each note that was recorded at or before this time. */
export interface AsOfTime {
  /** After the last change of each note that was recorded at or before this time. */
  time: string;
}

/** Many questions, which are answered from one state of the store. The answer to a question is in the field of the same name of `Answers`, at the same place. */
export interface Ask {
  /** Whether to answer with the loops of all sessions. */
  all_leases?: boolean;
  /** Numbers of notes. */
  counts?: Count[];
  /** Sessions, for the types of their entries. */
  entry_types?: Name[];
  /** Whether to answer with the sessions that have events. */
  event_sessions?: boolean;
  /** Parts of sessions' events. */
  events?: EventPage[];
  /** Parts of the feed. */
  feed?: FeedPage[];
  /** Notes, for their revisions. */
  histories?: Address[];
  /** Parts of the journal. */
  journal?: JournalPage[];
  /** Kinds of scopes, for all notes of all of them, by the scope's name and key. */
  kinds?: ScopeKind[];
  /** Sessions, for the largest iteration in any revision of their current entries. */
  last_iterations?: Name[];
  /** Sessions, for the loop that holds each. */
  leases?: Name[];
  /** How often entries were noted before an iteration: revisions with an earlier iteration that are not deleted. */
  noted_before?: NotedBefore[];
  /** Notes as they are now. */
  notes?: Address[];
  /** Ids of calls, for the rows that each wrote. */
  operations?: OperationId[];
  /** Pages of notes of a scope. */
  pages?: Page[];
  /** Scopes, for all their notes by key. */
  scopes?: Scope[];
  /** Positions, for the call that wrote each row. */
  steps?: Position[];
  /** Whether to answer with the store's id. */
  store_id?: boolean;
  /** Kinds of scopes, for the scopes that have notes, by name. */
  summaries?: ScopeKind[];
  /** Whether to answer with the store's version. */
  version?: boolean;
}

/** A prompt block. */
export interface Block {
  /** The position of the store's last change when the block was made; none for an empty store. */
  position?: Position | null;
  /** How each note is shown. Empty in style faithful, which shows all notes. */
  receipt: Receipt;
  /** Its sections that are not empty. */
  sections: SectionText[];
  /** The style it is written in. */
  style: Style;
  /** The text for the prompt; empty when no note applies. */
  text: string;
}

/** The answer to a `BlockAsk`. */
export type BlockAnswer = BlockAnswerUnchanged | BlockAnswerBlock | BlockAnswerBlockAndNotes | BlockAnswerNotes;

/** The block. */
export interface BlockAnswerBlock {
  /** The block. */
  block: {
    /** The block. */
    block: Block;
    /** The version of the store that it was made from. */
    version: Version;
  };
}

/** The block and the notes that it shows. */
export interface BlockAnswerBlockAndNotes {
  /** The block and the notes that it shows. */
  block_and_notes: {
    /** The block. */
    block: Block;
    /** The notes. */
    notes: ShownNote[];
  };
}

/** Notes. */
export interface BlockAnswerNotes {
  /** Notes. */
  notes: Matching;
}

/** The caller has the block already: the store has not changed. */
export type BlockAnswerUnchanged = "unchanged";

/** A question for a block, or for some of its notes (see `Reader::rendered`). */
export interface BlockAsk {
  /** What is wanted of the block. */
  part: BlockPart;
  /** For whom, where, and the options. */
  request: Request;
}

/** What is wanted of a block. */
export type BlockPart = BlockPartBlock | BlockPartBlockAndNotes | BlockPartChanged | BlockPartMatching;

/** The block (see `render`). */
export interface BlockPartBlock {
  /** The block (see `render`). */
  block: {
    /** The version of the store that the caller has this block of: if it is still the same, nothing is made. */
    unless?: Version | null;
  };
}

/** The block and the notes that it shows (see `block_and_notes`). */
export type BlockPartBlockAndNotes = "block_and_notes";

/** The notes of these sections that are new to a reader (see `changed`). */
export interface BlockPartChanged {
  /** The notes of these sections that are new to a reader (see `changed`). */
  changed: {
    /** What the reader was shown. */
    known: ShownNote[];
    /** The sections. */
    sections: Section[];
  };
}

/** The notes that match the query (see `matching`). */
export interface BlockPartMatching {
  /** The notes that match the query (see `matching`). */
  matching: {
    /** What the reader was shown. */
    known: ShownNote[];
  };
}

/** The token budget of a block. */
export interface Budget {
  /** How many tokens of that model correspond to one token of o200k, by which blocks are counted exactly. */
  factor?: number;
  /** The budget in tokens of the model that reads the block; 0: no limit. */
  tokens: number;
}

/** A change of one note. */
export type Change = ChangeSave | ChangeAppend | ChangePin | ChangeDelete | ChangeRestore | ChangeUndo | ChangeRedo;

/** Adds an entry to a session's log. Without an id, a text that an entry of the same type already has adds no new entry: it counts as a repeat of that entry. */
export interface ChangeAppend {
  /** Adds an entry to a session's log. Without an id, a text that an entry of the same type already has adds no new entry: it counts as a repeat of that entry. */
  append: {
    /** What it says. */
    content: Content;
    /** When it was made, if it comes from another program. */
    created_at?: string | null;
    /** Its id, if it comes from another program. If the log already has that id, nothing changes. */
    id?: EntryId | null;
    /** The iteration in which it was made. */
    iteration?: number | null;
    /** The `stuck` entry of the same log that it resolves. That entry is not shown in prompts until it is noted again. */
    resolves?: EntryId | null;
    /** The session. */
    session: Name;
    /** The entry's type. */
    type: string;
  };
}

/** Deletes a note. It is no error if the note does not exist. */
export interface ChangeDelete {
  /** Deletes a note. It is no error if the note does not exist. */
  delete: {
    /** The note. */
    address: Address;
    /** The revision that must be current; 0: the note must not exist; none: any. */
    expect?: number | null;
  };
}

/** Pins or unpins a note. Counts as an update (as in openotters). */
export interface ChangePin {
  /** Pins or unpins a note. Counts as an update (as in openotters). */
  pin: {
    /** The note. */
    address: Address;
    /** The revision that must be current; 0: the note must not exist; none: any. */
    expect?: number | null;
    /** Pinned or not. */
    pinned: boolean;
  };
}

/** Redoes what the last undo took back, as a new revision. Not possible after a new change. */
export interface ChangeRedo {
  /** Redoes what the last undo took back, as a new revision. Not possible after a new change. */
  redo: {
    /** The note. */
    address: Address;
    /** The revision that must be the note's last one; none: whatever is last. */
    last?: number | null;
  };
}

/** Restores the state after a revision, as a new revision. */
export interface ChangeRestore {
  /** Restores the state after a revision, as a new revision. */
  restore: {
    /** The note. */
    address: Address;
    /** The revision that must be the note's last one; none: whichever it is. */
    last?: number | null;
    /** The revision. */
    revision: number;
  };
}

/** Saves a note: creates it, or adds a revision. Not for log entries. */
export interface ChangeSave {
  /** Saves a note: creates it, or adds a revision. Not for log entries. */
  save: {
    /** The note. */
    address: Address;
    /** The new text. */
    content: Content;
    /** The revision that must be current; 0: the note must not exist; none: any. */
    expect?: number | null;
    /** The limits that apply. */
    limits?: Limits;
    /** Who wrote the note and when, if it comes from another program. */
    origin?: Origin | null;
    /** Whether to pin or unpin the note; none: leave it as it is. */
    pin?: boolean | null;
  };
}

/** Undoes the last change that is not undone yet, as a new revision. */
export interface ChangeUndo {
  /** Undoes the last change that is not undone yet, as a new revision. */
  undo: {
    /** The note. */
    address: Address;
    /** The revision that must be the note's last one, a deletion included; none: whatever is last. */
    last?: number | null;
    /** The author and the time to keep for the state that comes back; used when a text from a synced file was only journaled in between. */
    origin?: Origin | null;
  };
}

/** A checkout of a repository on this machine. */
export interface Checkout {
  /** The root by other names, whose notes are read too and which no new note gets: those that are made one with its name, and in a linked worktree the path of the main checkout. */
  also?: Place[];
  /** The root of the repository, by its name; where it has none, by the path of the main checkout. */
  name: Place;
  /** The directory. */
  root: Place;
}

/** Code that a note cites. */
export interface Citation {
  /** When it was looked up. */
  cited_at?: string | null;
  /** `src/pay.rs:40-60`, `src/pay.rs:40`, `src/pay.rs`, relative to the repository; or an identifier: `fn charge`. */
  code: string;
  /** The commit that was checked out. */
  commit?: string | null;
  /** The repository, by its name; by its directory, where it has none. None if it was never looked up. */
  repository?: Place | null;
  /** What the lines said without white space: length, sum and SHA-256. `word` for an identifier. */
  said?: string | null;
}

/** How one note is shown. */
export interface Claim {
  /** The note. */
  address: Address;
  /** The revision that the block was made from; of a note of others its [edition](Note::edition). */
  revision: number;
  /** The section of the note. */
  section: Section;
  /** How much of it is shown. */
  shown: Shown;
  /** The tokens that the note has in the block, counted by o200k. */
  tokens: number;
  /** Why. */
  why: Why;
}

/** What a caller can do about an error. It determines the exit code, the MCP error or the HTTP status. */
export type Class = "invalid" | "not_found" | "conflict" | "refused" | "limit" | "blocked" | "damaged" | "busy" | "unreachable" | "denied";

/** The text of a note: a string, or a list of bytes if it is not UTF-8. No byte is changed. */
export type Content = string | number[];

export type ContentHash = string;

/** A number of notes. */
export type Count = CountCounted | CountKeyed | CountEntries;

/** The notes of a scope as the limit counts them: keyed notes and entries, not a place's own note. */
export interface CountCounted {
  /** The notes of a scope as the limit counts them: keyed notes and entries, not a place's own note. */
  counted: Scope;
}

/** Entries of a session. */
export interface CountEntries {
  /** Entries of a session. */
  entries: {
    /** Only entries of iterations before this one, without those that have none; none: all entries. */
    before?: number | null;
    /** Only entries that are not resolved. */
    open?: boolean;
    /** The session. */
    session: Name;
    /** Only entries of this type; none: all types. */
    type?: string | null;
  };
}

/** The keyed notes of a scope that are pinned, or that are not. */
export interface CountKeyed {
  /** The keyed notes of a scope that are pinned, or that are not. */
  keyed: {
    /** Whether to count the pinned notes or the others. */
    pinned: boolean;
    /** The scope. */
    scope: Scope;
  };
}

/** What was damaged in what was read. */
export interface Damage {
  /** Whether a search did without the index because that is damaged. */
  index?: boolean;
  /** What was left out of lists, by address as far as it is known. A sentence is about the store as a whole, or about files that are no notes (see `Damage::is_sentence`). */
  notes?: string[];
}

/** The result of deleting a note. */
export interface DeletedNote {
  /** The note. */
  address: Address;
  /** Whether there was one. */
  deleted: boolean;
  /** The revision with its text; none without such a note. */
  revision?: number | null;
}

/** One thing that a call wrote. */
export interface Done {
  /** Where it stands, and what it was. */
  entry: FeedEntry;
  /** As which of its changes or events, from 0. */
  step: number;
}

/** Why a loop ended. */
export type EndReason = "iterations" | "time" | "until" | "completed" | "blocked" | "stalled" | "failed" | "requested" | "interrupted" | "error" | "lost";

export type EntryId = string;

export type EventAddress = string;

/** A part of a session's events. */
export interface EventPage {
  /** Events before this number; none: up to now. */
  before?: number | null;
  /** At most so many; none: all. */
  limit?: number | null;
  /** The session. */
  session: Name;
}

/** One thing that happened: `changed`, `event` or `forgotten` says which, and the others are left out. */
export interface FeedEntry {
  /** Its point in the feed: a reader continues from there. */
  at: Position;
  /** A note changed. */
  changed?: Revision | null;
  /** An event of a session. */
  event?: SessionsEvent | null;
  /** Texts were forgotten. */
  forgotten?: ForgottenRevisions | null;
}

/** A part of everything that happened. */
export interface FeedPage {
  /** The feed after this position; none: from the start. */
  after?: Position | null;
  /** At most so many items; none: all. */
  limit?: number | null;
}

/** A request to forget. */
export interface ForgetRequest {
  /** Only say what would be forgotten. */
  dry_run?: boolean;
  /** Also in other notes that have the same text. */
  everywhere?: boolean;
  /** The author and the time. */
  stamp: Stamp;
  /** A note, a revision of one, an event, or what was said in a session: `agent:name#key`, `agent:name#key@3`, `session:name#event-3`, `session:name`. */
  target: ForgetTarget;
  /** The `up_to` of the dry run that was looked at. A text that was written later is not forgotten: the answer is 409. Left out: whatever is there. */
  up_to?: Position | null;
}

export type ForgetTarget = string;

/** What was forgotten, and what is left. */
export interface Forgotten {
  /** The events of which this call forgot what was said in them. */
  events?: EventAddress[];
  /** The notes that no longer exist as a result. */
  gone: Address[];
  /** How many revisions of the note still have a text. */
  kept: number;
  /** What the request named. */
  named: ForgetTarget;
  /** Why old bytes of the text may still be in the store's files; none if the files are clean. */
  residue?: Residue | null;
  /** The revisions that this call forgot; empty if they were already forgotten. */
  revisions: AddressAt[];
  /** Revisions of this and other notes that still have the same text. */
  shared: AddressAt[];
  /** Events in which the same text was said, alone or with more. */
  shared_events?: EventAddress[];
  /** The names of the [side data](SideData) spaces that had a value about a text that is gone. The value was removed; what the program behind the space keeps outside the store was not. */
  spaces?: string[];
  /** The last position of the store when it was asked what would be forgotten: a request that goes [up to it](Forget::up_to) forgets nothing else. None in the result of a forgetting. */
  up_to?: Position | null;
}

/** Revisions whose texts were forgotten, and events of which what was said in them was. */
export interface ForgottenRevisions {
  /** When. */
  at: string;
  /** By whom. */
  by: Name;
  /** The events: `session:name#event-3`. */
  events?: EventAddress[];
  /** The revisions: `agent:name#key@3`. */
  revisions: AddressAt[];
}

/** A note that was found. */
export interface Hit {
  /** The note's address. */
  address: Address;
  /** The positions of the matching words in the line: byte ranges. */
  matches: number[][];
  /** The note. */
  note: Note;
  /** The revision that was found. */
  revision: number;
  /** The score: higher is better. Comparable only within one search. */
  score: number;
  /** The line of the text that matches best. */
  snippet: string;
}

/** Hits of a search, best match first. */
export interface HitsFound {
  /** The damage that was met. */
  damage?: Damage;
  /** The hits. */
  hits: Hit[];
}

/** The block in the prompt of an iteration, as an event records it: the request, and the hash of the text. */
export interface IterationBlock {
  /** The position of the store's last change; none for an empty store. */
  position?: Position | null;
  /** For which agent it was made, where, and with what options. */
  request: Request;
  /** The SHA-256 of the text that the agent was given, in hexadecimal. */
  sha256: string;
}

/** How an iteration ended. */
export type IterationOutcome = IterationOutcomeExited | IterationOutcomeReported | IterationOutcomeSignalled | IterationOutcomeNotStarted | IterationOutcomeTimedOut | IterationOutcomeInterrupted | IterationOutcomeLost;

/** The agent exited. */
export interface IterationOutcomeExited {
  /** Its exit code; 0 is success. */
  code: number;
  how: "exited";
}

/** A person or the system ended the loop, and the agent with it. */
export interface IterationOutcomeInterrupted {
  how: "interrupted";
}

/** The loop was killed, so the result is not known. */
export interface IterationOutcomeLost {
  how: "lost";
}

/** The agent could not be started. */
export interface IterationOutcomeNotStarted {
  how: "not_started";
}

/** Its exit code was 0, but its output says that it failed. */
export interface IterationOutcomeReported {
  how: "reported";
}

/** A signal ended it that the loop did not send. */
export interface IterationOutcomeSignalled {
  how: "signalled";
  /** The signal's number. */
  signal: number;
}

/** It ran out of time and was ended. */
export interface IterationOutcomeTimedOut {
  how: "timed_out";
}

/** A part of the journal. */
export interface JournalPage {
  /** Changes before this position; none: up to now. */
  before?: Position | null;
  /** At most so many; none: all. */
  limit?: number | null;
}

/** The loop that holds a session. */
export interface Lease {
  /** The number of the event with which the loop took it. */
  lease: number;
  /** The session. */
  session: Name;
}

/** The limits on notes. Zero or less means no limit. Entries of a log have no limit. */
export interface Limits {
  /** The most bytes of a keyed note's content. */
  max_bytes?: number;
  /** The most notes of a notebook. Only a new key can be refused for it. */
  max_notes?: number;
  /** The most bytes of a directory's own note. Its default is higher than that of a keyed note. */
  max_place_bytes?: number;
}

/** Every place whose notes apply at a directory. Whoever knows the file system makes it; nothing here asks a disk. The notes are read from home inwards: `~`, the directories above the checkout, then from its root down; in each directory those of its path come first, then those of its names in the repository, the one that counts last. The nearest come last. */
export interface Lineage {
  /** The checkouts that the directory is in, the innermost first. */
  checkouts?: Checkout[];
  /** True if the reader works in another repository, where a short address would mean another note. */
  is_elsewhere?: boolean;
  /** The directory: its path, or a place of a repository where no checkout is known. */
  place: Place;
  /** Every place whose notes apply, outermost first. */
  places: Place[];
  /** The project that the directory belongs to, by the name that new notes get; none in home and other places that are no project. */
  project?: Place | null;
  /** The project's directory here. */
  root?: Place | null;
}

/** Notes that match, or that are new to a reader, as text for a prompt. */
export interface Matching {
  /** The notes in the text. */
  notes: MatchingNote[];
  /** The text: first the notes shown as lines, then whole notes, each best match first; empty if none matches. */
  text: string;
}

/** A note in a text, and how much of it. */
export interface MatchingNote {
  /** The note. */
  note: Note;
  /** How much of it. */
  shown: Shown;
}

export type Name = string;

/** An entry to add to a session's log. */
export interface NewEntry {
  /** Its text. */
  content: Content;
  /** The iteration in which it was made. */
  iteration?: number | null;
  /** The `stuck` entry that it resolves: its id, `#3` for the only one of iteration 3, or words that only it has. */
  resolves?: string | null;
  /** Its type: `stuck`, `learning`, `tip`, `decision` */
  type: string;
}

/** A note. Its fields have the same names in the command line, MCP and HTTP. */
export interface Note {
  /** Its address: `place:~/p`, `place:~/p#key`, `agent:name#key` or `session:name#id`. */
  address: Address;
  /** The author of its text. */
  author: Name;
  /** The code that it cites. */
  cites?: Citation[];
  /** Its text. */
  content: Content;
  /** When it was first written. */
  created_at: string;
  /** The iteration of a log entry. */
  iteration?: number | null;
  /** Its key, or the id of a log entry; none for a directory's own note. */
  key?: string | null;
  /** Whether it is pinned. */
  pinned: boolean;
  /** Its first line, shortened, with credentials masked. */
  preview: string;
  /** The id of the entry that resolved this one. */
  resolved_by?: EntryId | null;
  /** The number of its revision: 1, 2, 3 …. */
  revision: number;
  /** The scope that it belongs to: `place:~/p`, `agent:name` or `session:name`. */
  scope?: string;
  /** The rules that find a credential in its text. */
  secrets?: string[];
  /** How often a log entry was noted. */
  seen?: number | null;
  /** The store that it is read from; left out for the store that was asked. */
  source?: Source;
  /** The type of a log entry. */
  type?: string | null;
  /** When it was last written, pinned or unpinned. */
  updated_at: string;
}

/** A note as it was before a change: enough to tell what was overwritten, and whether its text was the same. */
export interface NoteBefore {
  /** The SHA-256 of its text, in hexadecimal. */
  hash: ContentHash;
  /** The number of its revision. */
  revision: number;
}

/** A page of notes. */
export interface NotePage {
  /** Notes that are left out because they are damaged: addresses, as far as they are known. */
  damaged?: string[];
  /** The cursor of the next page; none: this is the last one. */
  next?: string | null;
  /** By kind of scope, scope and key; a place's own note comes before its keyed ones. */
  notes: Note[];
}

/** How often an entry was noted before an iteration. */
export interface NotedBefore {
  /** The entry. */
  address: Address;
  /** The iteration. */
  iteration: number;
}

/** Notes. */
export interface NotesFound {
  /** The damage that was met. */
  damage?: Damage;
  /** The notes. */
  notes: Note[];
}

export type OperationId = string;

/** The author and the times of a note that comes from another program. */
export interface Origin {
  /** Who wrote it; none: the author of the change. */
  author?: Name | null;
  /** The code that it cites. */
  cites?: Citation[];
  /** When the note was first written. An existing note keeps its own time. */
  created_at: string;
  /** Whether it has been current since then, because it was in a file that is kept in sync. */
  is_synced?: boolean;
  /** When it was last written. */
  updated_at: string;
}

/** A page of a scope's notes. */
export interface Page {
  /** The most notes of the page; none: all. */
  limit?: number | null;
  /** Which notes, and their order. */
  of: Recent;
  /** How many notes to skip. */
  skip?: number;
}

export type Place = string;

export type Position = string;

/** An error: `application/problem+json`. */
export interface Problem {
  /** The family of the error. */
  class?: Class | null;
  /** The note as it is now, when a write expected another revision, or none over another's text. */
  current?: Note | null;
  /** The failure and its reason, in one line. */
  detail: string;
  /** The fields of the error: a client in Rust makes the same error of them. */
  fields?: Record<string, unknown> | null;
  /** Advice. */
  hint?: string | null;
  /** The kind of the error: a stable word. */
  kind: string;
  /** The HTTP status. */
  status: number;
  /** The kind in words. */
  title: string;
  /** The kind of the error, as a name: `urn:waynote:problem:not_found`. It never changes. */
  type: string;
}

/** The identity of a process: no other process ever has the same values. */
export interface ProcessIdentity {
  /** The boot id of the machine's kernel; empty if it has none. */
  boot: string;
  /** The machine's name. */
  host: string;
  /** The PID namespace in which the process has its number: each container has its own. None if the system has no such thing, or if the identity was recorded by a version that did not ask for it. */
  namespace?: number | null;
  /** The process id. */
  pid: number;
  /** Its start time, in the ticks of the kernel; 0 if unknown. */
  start: number;
}

/** How each note is shown, and the totals. */
export interface Receipt {
  /** The budget, in tokens of the model that reads the block; 0: no limit. */
  budget: number;
  /** How many of the notes in it cite code: their labels change without a write. */
  cites?: number;
  /** The notes, in the order in which they got room. Notes that are left out because others fill the section are all listed only if the request asks for an explanation. */
  claims: Claim[];
  /** The block's tokens, counted by o200k; 0 in the same case. */
  counted: number;
  /** Notes that are damaged, and so not in the block: addresses, as far as they are known. A line of the block names the first of them. */
  damaged?: string[];
  /** The part of `counted` for headings and blank lines. Together with the tokens of the notes and of the last line it adds up to `counted`. */
  headings: number;
  /** The part of `counted` for the last line. */
  last_line: number;
  /** Notes that are not shown. */
  left_out: number;
  /** Notes that are shortened to a line. */
  lines: number;
  /** Notes that are shown whole, or in the index. */
  shown: number;
  /** The block's tokens, counted for the same model. Without a limit it is 0, unless the request asks for an explanation: counting is most of the work of a block. */
  tokens: number;
}

/** Which notes of a scope to read in pages, and in which order. */
export type Recent = RecentKeyed | RecentByKey | RecentEntries;

/** All notes by key: a place's own note first. */
export interface RecentByKey {
  /** All notes by key: a place's own note first. */
  by_key: {
    /** The scope of the notes. */
    scope: Scope;
  };
}

/** Entries of one type, latest iteration first, and within it the last added first. Entries without an iteration come last. */
export interface RecentEntries {
  /** Entries of one type, latest iteration first, and within it the last added first. Entries without an iteration come last. */
  entries: {
    /** Only entries of earlier iterations than this one. */
    before?: number | null;
    /** Only entries that are not resolved. */
    open?: boolean;
    /** The session. */
    session: Name;
    /** Their type. */
    type: string;
  };
}

/** Keyed notes, most recently updated first; notes of the same time by key. */
export interface RecentKeyed {
  /** Keyed notes, most recently updated first; notes of the same time by key. */
  keyed: {
    /** Whether to read the pinned notes or the others. */
    pinned: boolean;
    /** The scope of the notes. */
    scope: Scope;
  };
}

/** Events of a session to record, all of them or none. */
export interface RecordRequest {
  /** The events. */
  events: SessionEvent[];
  /** The number of the `loop_started` event of the loop that records them. */
  lease?: number | null;
  /** The session. */
  session: Name;
  /** The author and the time. */
  stamp: Stamp;
}

/** A stored event. */
export interface RecordedEvent {
  /** Its author. */
  author: Name;
  /** The event. */
  event: SessionEvent;
  /** Its number in the session: 1, 2, 3 …. */
  number: number;
  /** Its position in the whole store. Events written by older versions share the position of the change before them. */
  position: Position;
  /** Its time. */
  recorded_at: string;
}

/** Which texts a change may replace, delete or move. */
export type Replaces = "any" | "read" | "own" | "any_or_own";

/** The result of checking a whole store. */
export interface Report {
  /** The number of texts whose hash was computed again. */
  contents: number;
  /** The number of current notes that were checked. */
  notes: number;
  /** A description of each damage; empty when there is none. */
  problems: string[];
  /** The number of journal rows that were checked. */
  revisions: number;
}

/** A request for a block: for which agent, at which place, and the options. */
export interface Request {
  /** The agent that reads the block, and whose notebook it shows. */
  agent: Name;
  /** The point in time of the notes; none: now. */
  as_of?: AsOf | null;
  /** The author that the reader writes as, whose notes need no author in the block; none: the agent by its name. */
  author?: Name | null;
  /** The token budget. Style faithful has none: it prints everything, as its sources do. */
  budget?: Budget;
  /** Whether the receipt lists every note, and counts tokens even without a limit. */
  explain?: boolean;
  /** The iteration that the agent runs. The block shows only earlier ones; none: all iterations. */
  iteration?: number | null;
  /** The place of the agent, with every place whose notes apply there. Style faithful has those of the place's own path, and of its name in a repository. */
  lineage: Lineage;
  /** The current time, for the ages in style faithful. */
  now: string;
  /** Only this section; none: all sections. */
  only?: Section | null;
  /** A query to choose the notes of the index by; none: the latest notes. */
  query?: string | null;
  /** The session that the agent runs in, if any. */
  session?: Name | null;
  /** How the block is written. */
  style: Style;
  /** The tools of the reader, which the block names if notes are shortened or left out; none: it names no tools. */
  tools?: Tools | null;
}

/** Why old bytes of a forgotten text may still be in the store's files, although no note holds it. */
export type Residue = ResidueLent | ResidueForeign | ResidueRead | ResidueFailed | ResidueDatabase;

/** The files are a database server's. What is left in them, and what its administrator can do. */
export interface ResidueDatabase {
  /** The files are a database server's. What is left in them, and what its administrator can do. */
  database: string;
}

/** Rebuilding the file failed. */
export interface ResidueFailed {
  /** Rebuilding the file failed. */
  failed: string;
}

/** The database holds another program's tables, so waynote does not rebuild it. */
export type ResidueForeign = "foreign";

/** The connection belongs to an application, which has to clean its free pages and its WAL itself. */
export type ResidueLent = "lent";

/** Another process is still reading an older state of the store. */
export type ResidueRead = "read";

/** A change of a note, as the journal has it. */
export interface Revision {
  /** `save`, `sync`, `pin`, `unpin`, `delete`, `restore`, `undo`, `redo`, `repeat` or `forget`. */
  action: string;
  /** The note. */
  address: Address;
  /** Its author. */
  author: Name;
  /** When its text was forgotten. */
  forgotten_at?: string | null;
  /** The person or program that forgot its text. */
  forgotten_by?: Name | null;
  /** The note after the change; none if it was deleted or its text was forgotten. */
  note?: Note | null;
  /** Its position in the whole store; none for a text that is so far only in a file kept in sync. */
  position?: Position | null;
  /** When the store recorded it. */
  recorded_at: string;
  /** The number of the revision. */
  revision: number;
  /** The holder of the token with which it was written. */
  token?: Name | null;
  /** The revision that an undo or a redo took back. */
  undoes?: number | null;
}

/** A page of revisions. */
export interface RevisionPage {
  /** The cursor of the next page; none: this is the last one. */
  next?: string | null;
  /** Latest first. */
  revisions: Revision[];
}

/** A text to save as a note. */
export interface SaveNote {
  /** The text. */
  content: Content;
  /** The limits that apply. */
  limits?: Limits;
  /** Whether to pin or unpin the note; none: leave it as it is. */
  pinned?: boolean | null;
}

export type Scope = string;

/** The three kinds of scope. */
export type ScopeKind = "place" | "agent" | "session";

/** A scope and the number of its notes. */
export interface ScopeSummary {
  /** The number of its notes. */
  notes: number;
  /** The scope. */
  scope: Scope;
}

/** A kind of note. */
export type SearchKind = "place" | "key" | "log";

/** A search request. */
export interface SearchRequest {
  /** True for text that is handed in as context: a prompt, the output of a program. It is never refused for its length: it is cut to its rarest words, `Limits::QUERY_CLAUSES` of them. */
  context?: boolean;
  /** Search every revision with a text, including deleted and superseded ones, instead of the current notes. */
  history?: boolean;
  /** Only notes of these kinds; empty: all kinds. */
  kinds?: SearchKind[];
  /** The maximum number of hits; null: all. */
  limit?: number | null;
  /** Plain words (any of them, best match first), `"phrases"`, `prefix*`, `-not`. Any text is a valid query. A query of exclusions alone finds all other notes, newest first. An empty query finds nothing. */
  query: string;
  /** Only notes of these scopes; empty: all scopes. */
  scopes?: Scope[];
}

/** Which credentials a caller may write. */
export type Secrets = SecretsRefuseAll | SecretsAllow | SecretsAllowAll;

/** Credentials that these rules find, given by name. */
export interface SecretsAllow {
  /** Credentials that these rules find, given by name. */
  allow: string[];
}

/** All. */
export type SecretsAllowAll = "allow_all";

/** None: a write with a credential is refused. */
export type SecretsRefuseAll = "refuse_all";

/** The sections of the block, in the order in which they are printed. */
export type Section = "pinned" | "places" | "index" | "iterations";

/** A section of a block. */
export interface SectionText {
  /** The section. */
  section: Section;
  /** Its text. */
  text: string;
}

/** An answer to a question. */
export interface SessionAnswer {
  /** The answer. */
  answer: string;
  /** When. */
  at: string;
  /** The author of the answer. */
  by: Name;
}

/** An event of a session. */
export type SessionEvent = SessionEventLoopStarted | SessionEventLoopEnded | SessionEventIterationStarted | SessionEventIterationEnded | SessionEventCompleted | SessionEventBlocked | SessionEventAnswered | SessionEventStopRequested | SessionEventArchived | SessionEventUnarchived | SessionEventResolved;

/** A person answered the last question. */
export interface SessionEventAnswered {
  /** The answer. */
  answer: string;
  event: "answered";
}

/** A person archived the session, or it was forgotten: lists leave it out until its next event. */
export interface SessionEventArchived {
  event: "archived";
}

/** The agent needs a person to continue. */
export interface SessionEventBlocked {
  event: "blocked";
  /** The iteration in which it said so. */
  iteration: number;
  /** The question for the person. */
  question: string;
}

/** The agent said that the task is done. */
export interface SessionEventCompleted {
  event: "completed";
  /** The iteration in which it said so. */
  iteration: number;
  /** What was done. */
  summary: string;
}

/** The live iteration ended. */
export interface SessionEventIterationEnded {
  /** How often the agent was started. */
  attempts: number;
  /** How long all attempts took together; none if nothing could measure it. */
  duration_ms?: number | null;
  event: "iteration_ended";
  /** Its number. */
  iteration: number;
  /** The number of entries that it added to the log. */
  notes_added: number;
  /** How the agent ended in the last attempt. */
  outcome: IterationOutcome;
  /** The last output of an agent that failed, in one line. */
  said?: string | null;
}

/** An iteration began. It is the live one until it ends. */
export interface SessionEventIterationStarted {
  /** The block of notes in its prompt; none if an older version recorded the event. */
  block?: IterationBlock | null;
  event: "iteration_started";
  /** Its number, larger than all earlier ones. */
  iteration: number;
}

/** The loop ended, or was found dead. */
export interface SessionEventLoopEnded {
  /** Details, in lines: the evidence of a stall, or the error. */
  detail?: string | null;
  event: "loop_ended";
  /** Why. */
  reason: EndReason;
}

/** A loop took the session. No other loop can take it until this one has ended. */
export interface SessionEventLoopStarted {
  /** The directory it runs in, absolute. */
  directory: string;
  event: "loop_started";
  /** The process that runs it. */
  holder: ProcessIdentity;
  /** How many iterations the run should have, if that was given. */
  iterations?: number | null;
}

/** Another entry resolved a `stuck` entry, which is not shown in prompts until it is noted again. */
export interface SessionEventResolved {
  /** The entry that resolved it. */
  by: EntryId;
  /** The entry. */
  entry: EntryId;
  event: "resolved";
}

/** A person asked the loop that holds the session to stop after its iteration. */
export interface SessionEventStopRequested {
  event: "stop_requested";
}

/** A person put the session back on the list. */
export interface SessionEventUnarchived {
  event: "unarchived";
}

/** A page of sessions. */
export interface SessionPage {
  /** The cursor of the next page; none: this is the last one. */
  next?: string | null;
  /** By name. */
  sessions: SessionSummary[];
}

/** A session, and the state of its loop. */
export interface SessionSummary {
  /** The answer to the last question, until an iteration has finished its turn with it. */
  answer?: SessionAnswer | null;
  /** The last iteration that a loop began. */
  last_iteration?: number | null;
  /** The number of its entries. */
  notes: number;
  /** The question for a person that is not answered yet. */
  question?: string | null;
  /** Its name. */
  session: Name;
  /** Its state: `no loop has run`, `running`, `waiting for an answer`, `answered and ready to go on`, `done`, `stalled`, `failed`, `lost`, `out of time`, `stopped` or `interrupted`. */
  state: string;
}

/** How much of a note a block shows. */
export type Shown = "whole" | "line" | "left_out";

/** A note that a reader was shown, and how much of it. */
export interface ShownNote {
  /** The note. */
  address: Address;
  /** The revision; of a note of others its [edition](Note::edition). */
  revision: number;
  /** How much of it. */
  shown: Shown;
}

/** How long ago a loop was heard of. */
export interface Silence {
  /** In milliseconds; none: it never was, or it no longer holds the session. */
  silence_ms?: number | null;
}

/** Where a note is read from, seen by a session that reads notes of others beside its own store. */
export type Source = "own" | "own_over_shared" | "own_over_team" | "shared" | "team";

/** Who writes, and when. Every change takes one. */
export interface Stamp {
  /** The author: `person`, `agent:NAME`, `import:FORMAT`, or any other name that the caller uses. */
  author: Name;
  /** The code that the written notes cite. None: what their texts name between backquotes, `path:line`, and what was cited beside the text before. */
  cites?: Citation[] | null;
  /** The event with which a loop took its session, if this is written inside that loop: refused when the loop has lost the session. What a person writes has none. */
  lease?: EventAddress | null;
  /** The code that the text names, as the caller's store has looked it up. */
  named?: Citation[];
  /** The time of the change, by the writer's clock. */
  now: string;
  /** The id of this call of `Store::apply` or `Store::record`. A call that was already carried out under the same id is not repeated: it returns the first answer. Undoing the last change and forgetting ignore the id. */
  operation?: OperationId | null;
  /** Which texts it may replace. None: what was read, and its own. */
  replaces?: Replaces;
  /** Which credentials the written text may contain. */
  secrets?: Secrets;
  /** The process that writes, if the author is a person only outside of loops. What it writes inside one is its [agent's](Writer::agent). */
  writer?: Writer | null;
}

/** The call that writes a row, and the index of the change or event in it. */
export interface Step {
  /** The call. */
  operation: OperationId;
  /** The index, from 0. */
  step: number;
}

export type StoreId = string;

/** How the block is written. */
export type Style = "stable" | "faithful";

/** The names of the tools with which a reader looks up what a block does not show. */
export interface Tools {
  /** Searches notes by their text. */
  search: string;
  /** Shows a note whole, by its address. */
  show: string;
}

/** A condition of an undo. */
export interface UndoNote {
  /** The revision that must be the note's last one. */
  last?: number | null;
}

/** The version of a store, to be compared with an earlier one of the same open store: equal versions mean equal notes. */
export interface Version {
  /** A number that changes with every change that the position does not show: on a connection of an application, positions are reused after its transaction is rolled back. A text, or null. */
  changes?: string | null;
  /** The last position of the journal. */
  position?: Position | null;
  /** When a part of the store was last written that is only recognized by its time. It may be written again within the same tick of the clock. */
  written_at?: string | null;
}

/** Why so much of a note is shown. */
export type Why = WhyFits | WhyListed | WhyTooLong | WhyNoRoom | WhyBehind;

/** Newer notes, or better matches, filled the section. A full list drops several notes at a time. */
export type WhyBehind = "behind";

/** There was room. */
export type WhyFits = "fits";

/** The index shows a line of every note. */
export type WhyListed = "listed";

/** Not even the line of the note fits. */
export interface WhyNoRoom {
  /** Not even the line of the note fits. */
  no_room: {
    /** Tokens that were left. */
    left: number;
    /** Tokens of the line. */
    takes: number;
  };
}

/** The whole note needs more tokens than its section had left. */
export interface WhyTooLong {
  /** The whole note needs more tokens than its section had left. */
  too_long: {
    /** Tokens that were left. */
    left: number;
    /** Tokens of the whole note, or just more than `left`, unless the request asks for an explanation. A text with very few tokens for its length takes one token for every 16 bytes. */
    takes: number;
  };
}

/** The process that a change comes from. A store can tell from it whether a loop runs that process: then an agent writes, and not a person. */
export interface Writer {
  /** The processes above it, the nearest first. */
  above: Ancestor[];
  /** The author of what it writes inside a loop in a person's name; none: that is refused. */
  agent?: Name | null;
  /** The boot id of the machine's kernel; empty if it has none. */
  boot: string;
  /** The machine's name. */
  host: string;
  /** The PID namespace in which the processes have their numbers; none if the system has no such thing. */
  namespace?: number | null;
}

/** A stored event, with its session. */
export type SessionsEvent = RecordedEvent & {
  /** The session. */
  session: Name;
};

/** A store on a server: a method for each operation of its API. */
export class Client extends Transport {
  /** The block of notes that applies, for a prompt. */
  context(options?: CallOptions & {
      /** The agent whose notebook it is; without it `default`. */
      agent?: string;
      /** The place: `~/p`, or `repo:github.com/acme/shop//src`, whose notes and those of the directories above apply; without it home. */
      place?: string;
      /** The session whose log it is. */
      session?: string;
      /** The current iteration: entries of earlier ones are shown. */
      iteration?: number;
      /** The most tokens; 0: no limit. Without it 2000. */
      budget?: number;
      /** How it is written. */
      style?: Style;
      /** Only this section. */
      only?: Section;
      /** Choose notes by how well they match this text, not by how new they are. */
      query?: string;
      /** As it was at a time (RFC 3339) or a position of the journal. */
      as_of?: string;
      /** Say of each note how it is shown, and why. */
      explain?: boolean;
    }): Promise<Block>;

  /** Notes as they are now, in pages. */
  listNotes(options?: CallOptions & {
      /** Only notes of this scope: `place:~/p`, `repo:github.com/acme/shop//src`, `agent:NAME`, `session:NAME`. */
      scope?: string;
      /** Only notes of scopes of this kind: `place`, `agent` or `session`. */
      kind?: string;
      /** Only notes that apply at this directory, `~/p` or `repo:github.com/acme/shop//src`: its own and those of the directories above it, outermost first. */
      at?: string;
      /** Only notes of this directory and of the directories below it. */
      below?: string;
      /** Where the page begins: `next` of the page before. */
      cursor?: string;
      /** The most notes of the page, from 1 to 500; without it 50. */
      limit?: number;
    }): Promise<NotePage>;

  /** A note. Its entity tag is its revision. */
  readNote(address: string, options?: CallOptions & {
      /** The note as it was at this time (RFC 3339). */
      as_of?: string;
    }): Promise<Note>;

  /** Saves a note: creates it, or gives it a new revision. */
  saveNote(address: string, body: SaveNote, options?: CallOptions & {
      /** The author of the change, if the token may write as that author: `person`, `agent:NAME`. Without it, the token's own; on a server without tokens, the agent whose notebook is written, and a person elsewhere. */
      author?: string;
      /** The event with which a loop took its session, `session:NAME#event-N`, if this is written inside that loop: refused when the loop has lost the session. */
      lease?: string;
      /** The revision that must be current; 0: only if there is no such note. */
      if_revision?: number;
      /** The same text for the same call: it is carried out once. */
      idempotency_key?: string;
    }): Promise<Note>;

  /** Deletes a note. Its history stays, and `undo` brings it back. */
  deleteNote(address: string, options?: CallOptions & {
      /** The author of the change, if the token may write as that author: `person`, `agent:NAME`. Without it, the token's own; on a server without tokens, the agent whose notebook is written, and a person elsewhere. */
      author?: string;
      /** The event with which a loop took its session, `session:NAME#event-N`, if this is written inside that loop: refused when the loop has lost the session. */
      lease?: string;
      /** The revision that must be current; 0: only if there is no such note. */
      if_revision?: number;
      /** The same text for the same call: it is carried out once. */
      idempotency_key?: string;
    }): Promise<DeletedNote>;

  /** The revisions of a note, latest first, also of one that was deleted. */
  history(address: string, options?: CallOptions & {
      /** Where the page begins: `next` of the page before. */
      cursor?: string;
      /** The most items of the page, from 1 to 500; without it 50. */
      limit?: number;
    }): Promise<RevisionPage>;

  /** Undoes the last change of a note that is not undone yet. */
  undoNote(address: string, body?: UndoNote, options?: CallOptions & {
      /** The author of the change, if the token may write as that author: `person`, `agent:NAME`. Without it, the token's own; on a server without tokens, the agent whose notebook is written, and a person elsewhere. */
      author?: string;
      /** The event with which a loop took its session, `session:NAME#event-N`, if this is written inside that loop: refused when the loop has lost the session. */
      lease?: string;
      /** The same text for the same call: it is carried out once. */
      idempotency_key?: string;
    }): Promise<Applied>;

  /** The notes that match a query, best match first; those that apply at `place` and to `agent` come before others. */
  search(q: string, options?: CallOptions & {
      /** Only notes of this kind. */
      kind?: SearchKind;
      /** Only notes of this scope: `place:~/p`, `repo:github.com/acme/shop//src`, `agent:NAME`, `session:NAME`. */
      scope?: string;
      /** First the notes that apply at this place, `~/p` or `repo:github.com/acme/shop//src`, and those of this agent. */
      place?: string;
      /** The agent whose notebook comes first. */
      agent?: string;
      /** The most notes, from 1 to 500. */
      limit?: number;
      /** Search every revision, including those of deleted notes. */
      history?: boolean;
    }): Promise<HitsFound>;

  /** The sessions that have entries or in which a loop ran, with the state of each. */
  listSessions(options?: CallOptions & {
      /** Where the page begins: `next` of the page before. */
      cursor?: string;
      /** The most items of the page, from 1 to 500; without it 50. */
      limit?: number;
    }): Promise<SessionPage>;

  /** Adds an entry to a session's log. A text that the log has already is counted, not added again. */
  addEntry(session: string, body: NewEntry, options?: CallOptions & {
      /** The author of the change, if the token may write as that author: `person`, `agent:NAME`. Without it, the token's own; on a server without tokens, the agent whose notebook is written, and a person elsewhere. */
      author?: string;
      /** The event with which a loop took its session, `session:NAME#event-N`, if this is written inside that loop: refused when the loop has lost the session. */
      lease?: string;
      /** The same text for the same call: it is carried out once. */
      idempotency_key?: string;
    }): Promise<Note>;

  /** What happens from now on, or after an item, in one order: changes of notes, events of sessions, and forgettings. */
  changes(options?: CallOptions & {
      /** After the item with this id; `start`: at the very first. Without it, and without the header `Last-Event-ID`, the feed begins now. */
      after?: string;
    }): Promise<AsyncGenerator<FeedMessage>>;

  /** Forgets the text of a note, or what was said in an event: the only call that destroys anything. */
  forget(body: ForgetRequest, options?: CallOptions): Promise<Forgotten>;

  /** Checks the whole store for damage. */
  verify(options?: CallOptions): Promise<Report>;

  /** This document. */
  openapi(options?: CallOptions): Promise<unknown>;

  /** Answers many questions at once. */
  read(body?: Ask, options?: CallOptions): Promise<Answers>;

  /** Applies changes, all of them or none. */
  apply(body: ApplyRequest, options?: CallOptions): Promise<ApplyAnswer>;

  /** Records events of a session, all of them or none. */
  record(body: RecordRequest, options?: CallOptions): Promise<void>;

  /** The notes of some scopes, as they were. */
  asOf(body: AsOfRequest, options?: CallOptions): Promise<NotesFound>;

  /** Searches notes, best match first. */
  find(body: SearchRequest, options?: CallOptions): Promise<HitsFound>;

  /** Makes a block, or finds the notes of one that are new to a reader or match a query. */
  render(body: BlockAsk, options?: CallOptions): Promise<BlockAnswer>;

  /** Says that the loop that holds a session lives. No event, and no position. */
  beat(body: Lease, options?: CallOptions): Promise<void>;

  /** Tells how long ago the loop that holds a session was heard of. */
  silence(body: Lease, options?: CallOptions): Promise<Silence>;
}
