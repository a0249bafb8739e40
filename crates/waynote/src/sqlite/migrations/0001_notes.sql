-- Every table is prefixed, so that it can live beside an application's own.

CREATE TABLE waynote_scope (
    id    INTEGER PRIMARY KEY,
    kind  TEXT    NOT NULL,             -- place, agent, session
    name  TEXT    NOT NULL,             -- ~/p, an agent's name, a session's name
    notes INTEGER NOT NULL DEFAULT 0,   -- current keyed notes: what the count cap counts
    head  INTEGER NOT NULL DEFAULT 0,   -- position of the scope's last change
    UNIQUE (kind, name)
);

-- A scope's contents lie together: an id is the scope's in the upper 32 bits and counts in the lower.
CREATE TABLE waynote_content (
    id   INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,          -- SHA-256 of the body
    body BLOB NOT NULL
);

-- Append-only: one row for every change of every note. A note's rows are a chain from its last one back.
CREATE TABLE waynote_journal (
    position    INTEGER PRIMARY KEY,
    previous    INTEGER REFERENCES waynote_journal (position),
    scope       INTEGER NOT NULL REFERENCES waynote_scope (id),
    key         TEXT    NOT NULL,       -- '' for a place's own note
    revision    INTEGER NOT NULL,       -- 1, 2, 3 of that note
    action      TEXT    NOT NULL,
    undoes      INTEGER,                -- the revision that an undo took back
    content     INTEGER REFERENCES waynote_content (id),  -- null: deleted
    kind        TEXT,
    iteration   INTEGER,
    pinned      INTEGER NOT NULL,
    author      TEXT    NOT NULL,
    recorded_at INTEGER NOT NULL,       -- microseconds since 1970, as the other times
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL
);

-- The notes as they are now: what the journal comes to.
CREATE TABLE waynote_note (
    scope      INTEGER NOT NULL REFERENCES waynote_scope (id),
    key        TEXT    NOT NULL,
    position   INTEGER NOT NULL REFERENCES waynote_journal (position),
    revision   INTEGER NOT NULL,
    content    INTEGER NOT NULL REFERENCES waynote_content (id),
    preview    TEXT    NOT NULL,
    kind       TEXT,
    iteration  INTEGER,
    pinned     INTEGER NOT NULL,
    author     TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (scope, key)
) WITHOUT ROWID;

-- Where the chains of deleted notes end.
CREATE TABLE waynote_deleted (
    scope    INTEGER NOT NULL REFERENCES waynote_scope (id),
    key      TEXT    NOT NULL,
    position INTEGER NOT NULL REFERENCES waynote_journal (position),
    PRIMARY KEY (scope, key)
) WITHOUT ROWID;

-- What a file that is kept in step was last known to hold.
CREATE TABLE waynote_file_mark (
    file TEXT NOT NULL,
    key  TEXT NOT NULL,
    hash BLOB NOT NULL,
    PRIMARY KEY (file, key)
) WITHOUT ROWID;
