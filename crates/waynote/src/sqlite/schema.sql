-- Every table is prefixed, so that it can live beside an application's own. Times are microseconds since 1970. A checksum
-- is the CRC-32 of the row's other columns, and of the hash of its content if it can have one.

-- One row: the version of these tables.
CREATE TABLE waynote_schema (
    version INTEGER NOT NULL
);

-- Which store this is: a copy that goes on by itself gets another id.
CREATE TABLE waynote_store (
    one      INTEGER PRIMARY KEY CHECK (one = 1),
    id       BLOB    NOT NULL,          -- 16 random bytes
    checksum INTEGER NOT NULL
);

CREATE TABLE waynote_scope (
    id       INTEGER PRIMARY KEY,
    kind     TEXT    NOT NULL,             -- place, agent, session
    name     TEXT    NOT NULL,             -- ~/p, an agent's name, a session's name
    notes    INTEGER NOT NULL DEFAULT 0,   -- current keyed notes: what the count cap counts
    head     INTEGER NOT NULL DEFAULT 0,   -- position of the scope's last change
    lease    INTEGER,                      -- the event with which the loop began that has the session; null: none has it
    checksum INTEGER NOT NULL,
    UNIQUE (kind, name)
);
CREATE INDEX waynote_scope_lease ON waynote_scope (lease) WHERE lease IS NOT NULL;

-- A scope's contents lie together: an id is the scope's in the upper 32 bits and counts in the lower.
CREATE TABLE waynote_content (
    id   INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,          -- SHA-256 of the body
    body BLOB NOT NULL
);

-- Append-only: one row for every change of every note. A note's rows are a chain from its last one back. A revision whose
-- content was forgotten says when and by whom, and nothing of what it said.
CREATE TABLE waynote_journal (
    position     INTEGER PRIMARY KEY,
    previous     INTEGER REFERENCES waynote_journal (position),
    scope        INTEGER NOT NULL REFERENCES waynote_scope (id),
    key          TEXT    NOT NULL,      -- '' for a place's own note
    revision     INTEGER NOT NULL,      -- 1, 2, 3 of that note
    action       TEXT    NOT NULL,
    undoes       INTEGER,               -- the revision that an undo took back
    content      INTEGER REFERENCES waynote_content (id),  -- null: deleted
    kind         TEXT,
    iteration    INTEGER,
    pinned       INTEGER NOT NULL,
    author       TEXT    NOT NULL,
    recorded_at  INTEGER NOT NULL,
    created_at   INTEGER NOT NULL,
    updated_at   INTEGER NOT NULL,
    operation    BLOB,                  -- the call that wrote the row, and as which of its changes
    step         INTEGER,
    forgotten_at INTEGER,               -- null: not forgotten
    forgotten_by TEXT,
    token        TEXT,                  -- that wrote the revision, on a server with tokens
    cites        TEXT,                  -- the code that the note cites, as JSON
    checksum     INTEGER NOT NULL
);
CREATE INDEX waynote_journal_operation ON waynote_journal (operation, step) WHERE operation IS NOT NULL;

-- The notes as they are now: what the journal comes to.
CREATE TABLE waynote_note (
    scope       INTEGER NOT NULL REFERENCES waynote_scope (id),
    key         TEXT    NOT NULL,
    position    INTEGER NOT NULL REFERENCES waynote_journal (position),
    revision    INTEGER NOT NULL,
    content     INTEGER NOT NULL REFERENCES waynote_content (id),
    preview     TEXT    NOT NULL,
    kind        TEXT,
    iteration   INTEGER,
    pinned      INTEGER NOT NULL,
    author      TEXT    NOT NULL,
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL,
    resolved_by TEXT,                   -- the key of the entry that resolved this one
    cites       TEXT,
    checksum    INTEGER NOT NULL,
    PRIMARY KEY (scope, key)
) WITHOUT ROWID;
-- What a prompt block claims first, found without reading the rest: pinned notes, and the others by recency; entries of a
-- log by type, with their iteration.
CREATE INDEX waynote_note_recent ON waynote_note (scope, pinned, updated_at DESC, key)
    WHERE kind IS NULL AND key <> '';
CREATE INDEX waynote_note_typed ON waynote_note (scope, kind, iteration, key)
    WHERE kind IS NOT NULL;
CREATE INDEX waynote_note_resolved ON waynote_note (scope, kind, iteration) WHERE resolved_by IS NOT NULL;

-- Where the chains of deleted notes end.
CREATE TABLE waynote_deleted (
    scope    INTEGER NOT NULL REFERENCES waynote_scope (id),
    key      TEXT    NOT NULL,
    position INTEGER NOT NULL REFERENCES waynote_journal (position),
    PRIMARY KEY (scope, key)
) WITHOUT ROWID;

-- What happens beside the notes. Positions are given from the same head as the journal's.
CREATE TABLE waynote_event (
    position    INTEGER PRIMARY KEY,
    scope       INTEGER REFERENCES waynote_scope (id),  -- null: it is of the whole store
    number      INTEGER,                -- 1, 2, 3 of the session
    author      TEXT    NOT NULL,
    recorded_at INTEGER NOT NULL,
    event       TEXT    NOT NULL,       -- JSON
    operation   BLOB,
    step        INTEGER,
    checksum    INTEGER NOT NULL
);
CREATE UNIQUE INDEX waynote_event_session ON waynote_event (scope, number) WHERE scope IS NOT NULL;
CREATE INDEX waynote_event_operation ON waynote_event (operation, step) WHERE operation IS NOT NULL;

-- Data that programs keep beside the notes. A value that is about a content goes when that is forgotten.
CREATE TABLE waynote_side (
    space    TEXT    NOT NULL,          -- file:/home/u/notes.json
    key      TEXT    NOT NULL,
    value    BLOB    NOT NULL,
    about    BLOB,                      -- SHA-256 of the content
    checksum INTEGER NOT NULL,
    PRIMARY KEY (space, key)
) WITHOUT ROWID;
CREATE INDEX waynote_side_about ON waynote_side (about) WHERE about IS NOT NULL;

-- What search reads beside the notes. All of it can be made again from them.

-- One row: in which format the segments are, up to which row of the journal they reach, and how many there are.
CREATE TABLE waynote_search_state (
    id       INTEGER PRIMARY KEY CHECK (id = 1),
    format   INTEGER NOT NULL,
    indexed  INTEGER NOT NULL,
    segments INTEGER NOT NULL,
    checksum INTEGER NOT NULL
);

-- A segment: notes whose rows in the journal lie from `first` to `last`. Segments do not overlap.
CREATE TABLE waynote_search_segment (
    id       INTEGER PRIMARY KEY,
    first    INTEGER NOT NULL,
    last     INTEGER NOT NULL,
    notes    INTEGER NOT NULL,
    checksum INTEGER NOT NULL,          -- of `docs`
    docs     BLOB    NOT NULL
);

-- Which notes of a segment are no longer current: a bit for each. No row: all are.
CREATE TABLE waynote_search_dead (
    segment  INTEGER PRIMARY KEY REFERENCES waynote_search_segment (id),
    notes    INTEGER NOT NULL,          -- how many bits are set
    bits     BLOB    NOT NULL,
    checksum INTEGER NOT NULL
);

-- A segment's terms with their places, some kilobytes a row, under the first that would be in it.
CREATE TABLE waynote_search_block (
    segment INTEGER NOT NULL,
    term    BLOB    NOT NULL,
    terms   BLOB    NOT NULL,
    PRIMARY KEY (segment, term)
) WITHOUT ROWID;
