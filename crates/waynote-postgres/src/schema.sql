-- One database, many stores: every primary key and every index begins with the store, so that the tables can be
-- distributed by it. Names are long (up to 4 KB), so they are found by their hash. Text is compared byte by byte.

-- The version of the tables, in one row. A program uses no tables of another version.
CREATE TABLE waynote.version (version bigint NOT NULL PRIMARY KEY);

-- A store, and its head: whoever writes locks this row first. It holds the position of the last change.
CREATE TABLE waynote.store (
    store         bigint  NOT NULL PRIMARY KEY,   -- the first eight bytes of the SHA-256 of its name
    name          text    COLLATE "C" NOT NULL,
    incarnation   bigint  NOT NULL,               -- random: another store of the same name has another one
    id            bytea   NOT NULL,               -- 16 random bytes; a copy that goes on by itself gets others
    head          bigint  NOT NULL DEFAULT 0,
    last_scope    integer NOT NULL DEFAULT 0,
    last_segment  bigint  NOT NULL DEFAULT 0,
    index_format  bigint  NOT NULL DEFAULT 0,
    indexed       bigint  NOT NULL DEFAULT 0,     -- up to which position the segments reach
    segments      integer NOT NULL DEFAULT 0,     -- how many there should be
    created_at    timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 25);

CREATE TABLE waynote.scope (
    store bigint  NOT NULL,
    scope integer NOT NULL,                       -- 1, 2, 3 of the store
    hash  bytea   NOT NULL,                       -- SHA-256 of kind, NUL and name
    kind  text    COLLATE "C" NOT NULL,           -- place, agent, session
    name  text    COLLATE "C" NOT NULL,
    notes bigint  NOT NULL DEFAULT 0,             -- current keyed notes: what the limit counts
    lease bigint,                                 -- the event with which the loop began that holds it
    PRIMARY KEY (store, scope)
) WITH (fillfactor = 70);
CREATE UNIQUE INDEX scope_hash ON waynote.scope (store, hash);
CREATE INDEX scope_kind ON waynote.scope (store, kind);
CREATE INDEX scope_lease ON waynote.scope (store, scope) WHERE lease IS NOT NULL;

CREATE TABLE waynote.content (
    store bigint NOT NULL,
    hash  bytea  NOT NULL,                        -- SHA-256 of the body
    body  bytea  NOT NULL,
    PRIMARY KEY (store, hash)
);

-- One row for every revision of every note; changed only when it is forgotten.
CREATE TABLE waynote.journal (
    store        bigint  NOT NULL,
    position     bigint  NOT NULL,
    previous     bigint,                          -- the row before it of the same note
    scope        integer NOT NULL,
    key          text    COLLATE "C" NOT NULL,    -- '' for a place's own note
    revision     bigint  NOT NULL,                -- 1, 2, 3 of that note
    action       text    COLLATE "C" NOT NULL,
    undoes       bigint,
    content      bytea,                           -- null: deleted or forgotten
    kind         text    COLLATE "C",
    iteration    bigint,
    pinned       boolean NOT NULL,
    author       text    COLLATE "C" NOT NULL,
    token        text    COLLATE "C",
    recorded_at  bigint  NOT NULL,                -- microseconds since 1970, as the other times
    created_at   bigint  NOT NULL,
    updated_at   bigint  NOT NULL,
    operation    bytea,                           -- the call that wrote it, and as which of its steps
    step         bigint,
    forgotten_at bigint,
    forgotten_by text    COLLATE "C",
    cites        text    COLLATE "C",             -- the code that the note cites, as JSON
    mark         bigint  NOT NULL,                -- random, one for each transaction
    PRIMARY KEY (store, position)
);
CREATE UNIQUE INDEX journal_note ON waynote.journal (store, scope, key, revision);
CREATE INDEX journal_iteration ON waynote.journal (store, scope, iteration) WHERE iteration IS NOT NULL;
CREATE INDEX journal_operation ON waynote.journal (store, operation) WHERE operation IS NOT NULL;

-- The notes as they are now. Their previews are made from their contents.
CREATE TABLE waynote.note (
    store       bigint  NOT NULL,
    scope       integer NOT NULL,
    key         text    COLLATE "C" NOT NULL,
    position    bigint  NOT NULL,
    revision    bigint  NOT NULL,
    content     bytea   NOT NULL,
    kind        text    COLLATE "C",
    kind_key    text    COLLATE "C",              -- the kind, or its hash when it is long
    iteration   bigint,
    pinned      boolean NOT NULL,
    author      text    COLLATE "C" NOT NULL,
    created_at  bigint  NOT NULL,
    updated_at  bigint  NOT NULL,
    resolved_by text    COLLATE "C",
    cites       text    COLLATE "C",
    PRIMARY KEY (store, scope, key)
) WITH (fillfactor = 85);
CREATE INDEX note_recent ON waynote.note (store, scope, pinned, updated_at DESC, key)
    WHERE kind_key IS NULL AND key <> '';
CREATE INDEX note_typed ON waynote.note (store, scope, kind_key, iteration NULLS FIRST, key)
    WHERE kind_key IS NOT NULL;
CREATE INDEX note_resolved ON waynote.note (store, scope, kind_key, iteration) WHERE resolved_by IS NOT NULL;
CREATE INDEX note_saying ON waynote.note (store, scope, content) WHERE kind_key IS NOT NULL;

-- What happened in sessions beside their notes, and forgettings, which are of no session.
CREATE TABLE waynote.event (
    store       bigint   NOT NULL,
    position    bigint   NOT NULL,
    scope       integer,
    number      bigint,                           -- 1, 2, 3 of the session
    author      text     COLLATE "C" NOT NULL,
    recorded_at bigint   NOT NULL,
    event       text     COLLATE "C" NOT NULL,    -- JSON
    operation   bytea,
    step        bigint,
    mark        bigint   NOT NULL,
    PRIMARY KEY (store, position)
);
CREATE UNIQUE INDEX event_session ON waynote.event (store, scope, number) WHERE scope IS NOT NULL;
CREATE INDEX event_operation ON waynote.event (store, operation) WHERE operation IS NOT NULL;

-- Values that programs keep beside the notes. Names and keys can be long, and hold any character.
CREATE TABLE waynote.side (
    store      bigint NOT NULL,
    space_hash bytea  NOT NULL,
    key_hash   bytea  NOT NULL,
    space      bytea  NOT NULL,
    key        bytea  NOT NULL,
    value      bytea  NOT NULL,
    about      bytea,                             -- SHA-256 of the content that it is about
    PRIMARY KEY (store, space_hash, key_hash)
);
CREATE INDEX side_about ON waynote.side (store, about) WHERE about IS NOT NULL;

-- The search index. All of it can be made again from the notes.
CREATE TABLE waynote.segment (
    store     bigint  NOT NULL,
    segment   bigint  NOT NULL,
    first     bigint  NOT NULL,
    last      bigint  NOT NULL,
    notes     bigint  NOT NULL,
    checksum  bigint  NOT NULL,
    dead      bigint  NOT NULL DEFAULT 0,
    dead_bits bytea   NOT NULL DEFAULT '',
    docs      bytea   NOT NULL,
    PRIMARY KEY (store, segment)
);
CREATE TABLE waynote.block (
    store   bigint NOT NULL,
    segment bigint NOT NULL,
    term    bytea  NOT NULL,                      -- the first that would be in it
    terms   bytea  NOT NULL,
    PRIMARY KEY (store, segment, term)
);
