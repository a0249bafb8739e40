-- Heartbeats are side data.

DROP TABLE waynote.beat;
