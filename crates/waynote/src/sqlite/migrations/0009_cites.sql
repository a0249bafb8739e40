-- The code that a note cites, as JSON. The checksum of a row without any is as it was before.
ALTER TABLE waynote_journal ADD COLUMN cites TEXT;
ALTER TABLE waynote_note ADD COLUMN cites TEXT;
