-- The code that a note cites, as JSON.
ALTER TABLE waynote.journal ADD COLUMN cites text COLLATE "C";
ALTER TABLE waynote.note ADD COLUMN cites text COLLATE "C";
