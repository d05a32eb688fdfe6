-- Features that an operator switched off or on again while the program is
-- installed (proofmark kill, unkill). Rows are only added; the newest one of a
-- feature counts. A commit looks here in its own transaction: what was switched
-- off before it began cannot be published any more.
CREATE TABLE switches (
  seq     INTEGER PRIMARY KEY AUTOINCREMENT,
  feature TEXT NOT NULL CHECK (feature IN ('documentWorkbenchResources', 'artifactPromptAnnotations')),
  off     INTEGER NOT NULL CHECK (off IN (0, 1)),
  actor   TEXT NOT NULL,
  reason  TEXT NOT NULL CHECK (length(reason) <= 200),
  at      INTEGER NOT NULL
) STRICT;
CREATE INDEX switches_feature ON switches (feature, seq);

CREATE TRIGGER switches_no_update BEFORE UPDATE ON switches
BEGIN SELECT RAISE(ABORT, 'switches are immutable'); END;
CREATE TRIGGER switches_no_delete BEFORE DELETE ON switches
BEGIN SELECT RAISE(ABORT, 'switches are immutable'); END;
