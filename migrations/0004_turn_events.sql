-- What running turns reported, in order.

-- One event of a turn. Sequences grow in the order of the transactions, over
-- all sessions, and are never given out twice: a reader that has seen one has
-- been able to see every lower one (D10). The pieces of a text that streams are
-- not kept; the whole text is, once it is complete.
CREATE TABLE turn_events (
  seq        INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id TEXT NOT NULL,
  turn_id    TEXT NOT NULL REFERENCES turns (id),
  kind       TEXT NOT NULL CHECK (length(kind) BETWEEN 1 AND 64),
  body       TEXT NOT NULL CHECK (json_valid(body)),
  at         INTEGER NOT NULL
) STRICT;
CREATE INDEX turn_events_turn ON turn_events (turn_id, seq);
CREATE INDEX turn_events_session ON turn_events (session_id, seq);
CREATE UNIQUE INDEX turn_events_end ON turn_events (turn_id) WHERE kind = 'ended';

CREATE TRIGGER turn_events_last BEFORE INSERT ON turn_events
WHEN EXISTS (SELECT 1 FROM turn_events WHERE turn_id = NEW.turn_id AND kind = 'ended')
BEGIN SELECT RAISE(ABORT, 'the turn has ended'); END;
CREATE TRIGGER turn_events_no_update BEFORE UPDATE ON turn_events
BEGIN SELECT RAISE(ABORT, 'turn events are immutable'); END;
CREATE TRIGGER turn_events_no_delete BEFORE DELETE ON turn_events
BEGIN SELECT RAISE(ABORT, 'turn events are never deleted'); END;
