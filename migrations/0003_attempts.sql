-- Draft candidates and commit attempts.

-- The one draft candidate of a turn; a repair replaces it. Its bytes are the
-- base revision with the edits applied.
CREATE TABLE candidates (
  turn_id     TEXT PRIMARY KEY REFERENCES turns (id),
  document_id TEXT NOT NULL REFERENCES documents (id),
  base_id     TEXT NOT NULL REFERENCES revisions (id),
  sha256      TEXT NOT NULL CHECK (length(sha256) = 64),
  edits       TEXT NOT NULL CHECK (json_valid(edits)),
  flags       TEXT NOT NULL CHECK (json_valid(flags)),
  epoch       INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL
) STRICT;

-- A commit attempt by its idempotency key. It is written before the commit and
-- becomes applied in the commit's own transaction, so that after a crash the
-- outcome can be told (R-DOC-5).
CREATE TABLE attempts (
  key           TEXT PRIMARY KEY,
  document_id   TEXT NOT NULL REFERENCES documents (id),
  fingerprint   TEXT NOT NULL,
  base_id       TEXT NOT NULL REFERENCES revisions (id),
  sha_after     TEXT NOT NULL CHECK (length(sha_after) = 64),
  change_set_id TEXT NOT NULL,
  fence         INTEGER NOT NULL,
  state         TEXT NOT NULL CHECK (state IN ('pending', 'applied', 'failed', 'ambiguous')),
  receipt       TEXT CHECK (receipt IS NULL OR json_valid(receipt)),
  code          TEXT NOT NULL,
  created_at    INTEGER NOT NULL,
  updated_at    INTEGER NOT NULL,
  CHECK ((state = 'applied') = (receipt IS NOT NULL))
) STRICT;
CREATE INDEX attempts_pending ON attempts (created_at) WHERE state = 'pending';

CREATE TRIGGER attempts_settled BEFORE UPDATE ON attempts WHEN OLD.state IN ('applied', 'ambiguous')
BEGIN SELECT RAISE(ABORT, 'the attempt is settled'); END;
CREATE TRIGGER attempts_no_delete BEFORE DELETE ON attempts
BEGIN SELECT RAISE(ABORT, 'attempts are never deleted'); END;
