-- One order for all that happens in a store, an identity of the store and of the calls that write, and a checksum for
-- every row that has no hash. What is computed for the rows that are there is filled in afterwards.

-- Which store this is: a copy that goes on by itself gets another id.
CREATE TABLE waynote_store (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    id  BLOB NOT NULL                   -- 16 random bytes
);
INSERT INTO waynote_store (one, id) VALUES (1, randomblob(16));

-- The call that wrote a row, and as which of its changes: a call that is made again finds it.
ALTER TABLE waynote_journal ADD COLUMN operation BLOB;
ALTER TABLE waynote_journal ADD COLUMN step INTEGER;
CREATE INDEX waynote_journal_operation ON waynote_journal (operation, step) WHERE operation IS NOT NULL;

-- CRC-32 of the row's other columns.
ALTER TABLE waynote_journal ADD COLUMN checksum INTEGER;
ALTER TABLE waynote_note ADD COLUMN checksum INTEGER;

-- A program of an older version that has the store open still does not know that events have positions, nor of checksums.
CREATE TRIGGER waynote_journal_insert BEFORE INSERT ON waynote_journal WHEN new.checksum IS NULL
BEGIN SELECT RAISE(ABORT, 'a newer version of waynote has upgraded this store: start this program again'); END;
CREATE TRIGGER waynote_journal_forget BEFORE UPDATE OF forgotten_at ON waynote_journal WHEN new.checksum IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'a newer version of waynote has upgraded this store: start this program again'); END;

-- A text that was taken in from a file that is kept in sync is in force since it was written there.
UPDATE waynote_journal SET action = 'sync'
WHERE action = 'save' AND author = 'import:zrb' AND updated_at < recorded_at;

-- What happens beside the notes. Positions are given from the same head as the journal's.
CREATE TABLE waynote_event_new (
    position    INTEGER NOT NULL,
    ordinal     INTEGER NOT NULL,       -- 0; 1, 2, 3 … for older events, which share the position of the change before
    scope       INTEGER REFERENCES waynote_scope (id),  -- null: it is of the whole store
    number      INTEGER,                -- 1, 2, 3 of the session
    author      TEXT    NOT NULL,
    recorded_at INTEGER NOT NULL,       -- microseconds since 1970
    event       TEXT    NOT NULL,       -- JSON
    operation   BLOB,
    step        INTEGER,
    checksum    INTEGER,
    PRIMARY KEY (position, ordinal)
) WITHOUT ROWID;
INSERT INTO waynote_event_new (position, ordinal, scope, number, author, recorded_at, event)
SELECT after, row_number() OVER (PARTITION BY after ORDER BY latest, scope, number), scope, number, author,
       recorded_at, event
FROM (
    -- By time, but a session's own events by number: a clock may have gone back.
    SELECT *, max(recorded_at) OVER (PARTITION BY scope ORDER BY number) AS latest FROM waynote_event
);
DROP TABLE waynote_event;
ALTER TABLE waynote_event_new RENAME TO waynote_event;
CREATE UNIQUE INDEX waynote_event_session ON waynote_event (scope, number) WHERE scope IS NOT NULL;
CREATE INDEX waynote_event_operation ON waynote_event (operation, step) WHERE operation IS NOT NULL;

-- Data that programs keep beside the notes. A value that is about a content goes when that is forgotten.
CREATE TABLE waynote_side (
    space TEXT NOT NULL,                -- file:/home/u/notes.json
    key   TEXT NOT NULL,
    value BLOB NOT NULL,
    about BLOB,                         -- SHA-256 of the content
    PRIMARY KEY (space, key)
) WITHOUT ROWID;
CREATE INDEX waynote_side_about ON waynote_side (about) WHERE about IS NOT NULL;
INSERT INTO waynote_side (space, key, value, about) SELECT 'file:' || file, key, x'', hash FROM waynote_file_mark;
-- A program of the older version that still runs reads it: it finds nothing, and is told so when it writes.
DELETE FROM waynote_file_mark;
CREATE TRIGGER waynote_file_mark_insert BEFORE INSERT ON waynote_file_mark
BEGIN SELECT RAISE(ABORT, 'a newer version of waynote has upgraded this store: start this program again'); END;
