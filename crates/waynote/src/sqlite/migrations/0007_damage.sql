-- A checksum for every row that had none, so that damage is found when a row is read. The checksums of journal and notes
-- are over the hash of the content too: a row cannot show the text of another one. All are computed afterwards.

ALTER TABLE waynote_scope ADD COLUMN checksum INTEGER;
ALTER TABLE waynote_store ADD COLUMN checksum INTEGER;
ALTER TABLE waynote_side ADD COLUMN checksum INTEGER;
ALTER TABLE waynote_search_state ADD COLUMN checksum INTEGER;
ALTER TABLE waynote_search_dead ADD COLUMN checksum INTEGER;

-- Checksums of this version are at least 2^32. A program of the version before that still has the store open writes
-- smaller ones.
CREATE TRIGGER waynote_journal_checked BEFORE INSERT ON waynote_journal WHEN new.checksum < 4294967296
BEGIN SELECT RAISE(ABORT, 'a newer version of waynote has upgraded this store: start this program again'); END;
CREATE TRIGGER waynote_journal_rechecked BEFORE UPDATE OF checksum ON waynote_journal WHEN new.checksum < 4294967296
BEGIN SELECT RAISE(ABORT, 'a newer version of waynote has upgraded this store: start this program again'); END;
CREATE TRIGGER waynote_event_checked BEFORE INSERT ON waynote_event WHEN new.checksum < 4294967296
BEGIN SELECT RAISE(ABORT, 'a newer version of waynote has upgraded this store: start this program again'); END;
