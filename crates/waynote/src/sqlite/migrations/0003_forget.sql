-- A revision whose content was forgotten says when and by whom, and nothing of what it said.

ALTER TABLE waynote_journal ADD COLUMN forgotten_at INTEGER;  -- null: not forgotten
ALTER TABLE waynote_journal ADD COLUMN forgotten_by TEXT;
