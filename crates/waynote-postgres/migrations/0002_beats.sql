-- When the loop that holds a session last said that it lives, by the clock of the server. Written often and read seldom,
-- so it is a table of its own: the row of the scope is written by those who hold the lock of the store.
CREATE TABLE waynote.beat (
    store bigint      NOT NULL,
    scope integer     NOT NULL,
    lease bigint      NOT NULL,                   -- the event with which the loop began
    at    timestamptz NOT NULL,
    PRIMARY KEY (store, scope)
) WITH (fillfactor = 50);
