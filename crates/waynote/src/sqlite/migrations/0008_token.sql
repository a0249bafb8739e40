-- The token that wrote a revision, on a server with tokens. The checksum of a row without one is as it was before.
ALTER TABLE waynote_journal ADD COLUMN token TEXT;
