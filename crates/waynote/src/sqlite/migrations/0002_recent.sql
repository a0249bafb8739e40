-- What a prompt block claims first, found without reading the rest.

-- Keyed notes: the pinned ones, and the others by recency.
CREATE INDEX waynote_note_recent ON waynote_note (scope, pinned, updated_at DESC, key)
    WHERE kind IS NULL AND key <> '';

-- Entries of a log by type, with their iteration.
CREATE INDEX waynote_note_typed ON waynote_note (scope, kind, iteration, key)
    WHERE kind IS NOT NULL;
