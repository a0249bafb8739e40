//! The statements that write rows: one for each table, with an array for each column.

/// New scopes count on from the last one.
pub(super) const SCOPES: &str = "INSERT INTO waynote.scope (store, scope, hash, kind, name)
     SELECT $1, h.last_scope + (row_number() OVER (ORDER BY u.hash))::integer, u.hash, u.kind, u.name
     FROM unnest($2, $3, $4) u (hash, kind, name)
     CROSS JOIN LATERAL (
         SELECT greatest(h.last_scope, (SELECT max(s.scope) FROM waynote.scope s WHERE s.store = $1)) AS last_scope
         FROM waynote.store h WHERE h.store = $1
     ) h
     WHERE NOT EXISTS (SELECT FROM waynote.scope s WHERE s.store = $1 AND s.hash = u.hash)";

pub(super) const CONTENTS: &str = "INSERT INTO waynote.content (store, hash, body)
     SELECT $1, u.hash, u.body FROM unnest($2, $3) u (hash, body)
     ON CONFLICT (store, hash) DO NOTHING";

pub(super) const JOURNAL: &str = "INSERT INTO waynote.journal (store, scope, key, position, previous, revision, action, undoes,
            content, kind, iteration, pinned, author, token, recorded_at, created_at, updated_at, operation, step,
            forgotten_at, forgotten_by, cites, mark)
     SELECT $1, s.scope, u.key, u.position, u.previous, u.revision, u.action, u.undoes, u.content, u.kind,
            u.iteration, u.pinned, u.author, u.token, u.recorded_at, u.created_at, u.updated_at, u.operation,
            u.step, u.forgotten_at, u.forgotten_by, u.cites, $23
     FROM unnest($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,
                 $20, $21, $22)
          u (scope, key, position, previous, revision, action, undoes, content, kind, iteration, pinned, author,
             token, recorded_at, created_at, updated_at, operation, step, forgotten_at, forgotten_by, cites)
     JOIN waynote.scope s ON s.store = $1 AND s.hash = u.scope";

pub(super) const GONE: &str = "DELETE FROM waynote.note n USING unnest($2, $3) u (scope, key), waynote.scope s
     WHERE s.store = $1 AND s.hash = u.scope AND n.store = $1 AND n.scope = s.scope AND n.key = u.key";

pub(super) const NOTES: &str = "INSERT INTO waynote.note (store, scope, key, position, revision, content, kind, kind_key, iteration,
            pinned, author, created_at, updated_at, resolved_by, cites)
     SELECT $1, s.scope, u.key, u.position, u.revision, u.content, u.kind, u.kind_key, u.iteration, u.pinned,
            u.author, u.created_at, u.updated_at, u.resolved_by, u.cites
     FROM unnest($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
          u (scope, key, position, revision, content, kind, kind_key, iteration, pinned, author, created_at,
             updated_at, resolved_by, cites)
     JOIN waynote.scope s ON s.store = $1 AND s.hash = u.scope
     -- One that was deleted in the same call is still there.
     ON CONFLICT (store, scope, key) DO UPDATE SET position = excluded.position, revision = excluded.revision,
         content = excluded.content, kind = excluded.kind, kind_key = excluded.kind_key,
         iteration = excluded.iteration, pinned = excluded.pinned, author = excluded.author,
         created_at = excluded.created_at, updated_at = excluded.updated_at, resolved_by = excluded.resolved_by, cites = excluded.cites";

pub(super) const RESOLVED: &str = "UPDATE waynote.note n SET resolved_by = u.by
     FROM unnest($2, $3, $4) u (scope, key, by), waynote.scope s
     WHERE s.store = $1 AND s.hash = u.scope AND n.store = $1 AND n.scope = s.scope AND n.key = u.key";

pub(super) const COUNTS: &str =
    "UPDATE waynote.scope s SET notes = s.notes + u.change FROM unnest($2, $3) u (scope, change)
     WHERE s.store = $1 AND s.hash = u.scope";

pub(super) const LEASES: &str =
    "UPDATE waynote.scope s SET lease = u.lease FROM unnest($2, $3) u (scope, lease)
     WHERE s.store = $1 AND s.hash = u.scope";

pub(super) const EVENTS: &str = "INSERT INTO waynote.event (store, position, scope, number, author, recorded_at, event, operation,
            step, mark)
     -- A forgetting is of no session.
     SELECT $1, u.position, s.scope, u.number, u.author, u.recorded_at, u.event, u.operation, u.step, $10
     FROM unnest($2, $3, $4, $5, $6, $7, $8, $9)
          u (position, scope, number, author, recorded_at, event, operation, step)
     LEFT JOIN waynote.scope s ON s.store = $1 AND s.hash = u.scope";
