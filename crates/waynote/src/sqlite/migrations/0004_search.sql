-- What search reads beside the notes. All of it can be made again from them.

-- One row: in which format the segments are, up to which row of the journal they reach, and how many there are.
CREATE TABLE waynote_search_state (
    id       INTEGER PRIMARY KEY CHECK (id = 1),
    format   INTEGER NOT NULL,
    indexed  INTEGER NOT NULL,
    segments INTEGER NOT NULL
);
INSERT INTO waynote_search_state (id, format, indexed, segments) VALUES (1, 1, 0, 0);

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
    segment INTEGER PRIMARY KEY REFERENCES waynote_search_segment (id),
    notes   INTEGER NOT NULL,           -- how many bits are set
    bits    BLOB    NOT NULL
);

-- A segment's terms with their places, some kilobytes a row, under the first that would be in it.
CREATE TABLE waynote_search_block (
    segment INTEGER NOT NULL,
    term    BLOB    NOT NULL,
    terms   BLOB    NOT NULL,
    PRIMARY KEY (segment, term)
) WITHOUT ROWID;
