-- What happens in a session beside its notes.

CREATE TABLE waynote_event (
    scope       INTEGER NOT NULL REFERENCES waynote_scope (id),
    number      INTEGER NOT NULL,       -- 1, 2, 3 of the session
    after       INTEGER NOT NULL,       -- the journal's last position then, 0: there was none
    author      TEXT    NOT NULL,
    recorded_at INTEGER NOT NULL,       -- microseconds since 1970
    event       TEXT    NOT NULL,       -- JSON
    PRIMARY KEY (scope, number)
) WITHOUT ROWID;

-- The event with which the loop began that has the session; null: none has it.
ALTER TABLE waynote_scope ADD COLUMN lease INTEGER;
CREATE INDEX waynote_scope_lease ON waynote_scope (lease) WHERE lease IS NOT NULL;

-- The key of the entry that resolved this one.
ALTER TABLE waynote_note ADD COLUMN resolved_by TEXT;
CREATE INDEX waynote_note_resolved ON waynote_note (scope, kind, iteration) WHERE resolved_by IS NOT NULL;
