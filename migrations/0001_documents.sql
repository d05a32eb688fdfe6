-- Documents, their immutable revisions and change sets, writer leases, edit
-- sessions and the audit trail. Times are milliseconds since 1970, UTC.

-- The bytes of revisions, by SHA-256. A blob is stored whole ('zstd', 'raw')
-- or against its parent ('delta'); depth counts the deltas that have to be
-- applied, chain the stored bytes they take together.
CREATE TABLE blobs (
  sha256   TEXT PRIMARY KEY CHECK (length(sha256) = 64),
  bytes    INTEGER NOT NULL CHECK (bytes >= 0),
  encoding TEXT NOT NULL CHECK (encoding IN ('raw', 'zstd', 'delta')),
  parent   TEXT REFERENCES blobs (sha256),
  depth    INTEGER NOT NULL CHECK (depth >= 0),
  chain    INTEGER NOT NULL CHECK (chain >= 0),
  data     BLOB NOT NULL,
  CHECK ((encoding = 'delta') = (parent IS NOT NULL)),
  CHECK ((encoding = 'delta') = (depth > 0))
) STRICT;
CREATE INDEX blobs_parent ON blobs (parent) WHERE parent IS NOT NULL;

CREATE TABLE documents (
  id         TEXT PRIMARY KEY,
  path       TEXT NOT NULL UNIQUE,
  head_id    TEXT NOT NULL REFERENCES revisions (id) DEFERRABLE INITIALLY DEFERRED,
  generation INTEGER NOT NULL CHECK (generation >= 1),
  state_rev  INTEGER NOT NULL CHECK (state_rev >= 1),
  synced_id  TEXT NOT NULL REFERENCES revisions (id) DEFERRABLE INITIALLY DEFERRED,
  synced_sha TEXT NOT NULL CHECK (length(synced_sha) = 64),
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE revisions (
  id            TEXT PRIMARY KEY,
  document_id   TEXT NOT NULL REFERENCES documents (id),
  generation    INTEGER NOT NULL CHECK (generation >= 1),
  parent_id     TEXT REFERENCES revisions (id),
  sha256        TEXT NOT NULL REFERENCES blobs (sha256),
  bytes         INTEGER NOT NULL CHECK (bytes >= 0),
  source        TEXT NOT NULL CHECK (source IN ('import', 'outside', 'turn', 'manual', 'revert', 'restore', 'redo')),
  actor         TEXT NOT NULL,
  change_set_id TEXT REFERENCES change_sets (id) DEFERRABLE INITIALLY DEFERRED,
  at            INTEGER NOT NULL,
  UNIQUE (document_id, generation),
  CHECK ((generation = 1) = (parent_id IS NULL)),
  CHECK ((generation = 1) = (change_set_id IS NULL))
) STRICT;
CREATE INDEX revisions_sha256 ON revisions (sha256);
-- The columns of deferred foreign keys need an index: while one is open, each
-- row it may point to is looked for in them.
CREATE UNIQUE INDEX revisions_change_set ON revisions (change_set_id);
CREATE INDEX documents_head ON documents (head_id);
CREATE INDEX documents_synced ON documents (synced_id);

CREATE TABLE change_sets (
  id          TEXT PRIMARY KEY,
  document_id TEXT NOT NULL REFERENCES documents (id),
  generation  INTEGER NOT NULL CHECK (generation >= 2), -- of the result
  turn_id     TEXT,
  base_id     TEXT NOT NULL REFERENCES revisions (id),
  result_id   TEXT NOT NULL REFERENCES revisions (id) DEFERRABLE INITIALLY DEFERRED,
  source      TEXT NOT NULL CHECK (source IN ('outside', 'turn', 'manual', 'revert', 'restore', 'redo')),
  actor       TEXT NOT NULL,
  sha_before  TEXT NOT NULL CHECK (length(sha_before) = 64),
  sha_after   TEXT NOT NULL CHECK (length(sha_after) = 64),
  edits       TEXT NOT NULL CHECK (json_valid(edits)),
  notes       TEXT NOT NULL CHECK (json_valid(notes)),
  evidence    TEXT CHECK (evidence IS NULL OR json_valid(evidence)),
  flags       TEXT NOT NULL CHECK (json_valid(flags)),
  reverts     TEXT REFERENCES change_sets (id),
  revert_note INTEGER NOT NULL CHECK (revert_note >= 0),
  at          INTEGER NOT NULL,
  UNIQUE (document_id, generation),
  CHECK (sha_before <> sha_after),
  CHECK ((source IN ('revert', 'redo')) = (reverts IS NOT NULL))
) STRICT;
CREATE UNIQUE INDEX change_sets_result ON change_sets (result_id);
CREATE INDEX change_sets_reverts ON change_sets (reverts) WHERE reverts IS NOT NULL;
-- One turn advances a head at most once (D-56).
CREATE UNIQUE INDEX change_sets_turn ON change_sets (turn_id) WHERE turn_id IS NOT NULL;

-- The one writer of a document. The row stays for ever, so that the fencing
-- token only ever grows.
CREATE TABLE leases (
  document_id TEXT PRIMARY KEY REFERENCES documents (id),
  holder      TEXT NOT NULL,
  fence       INTEGER NOT NULL CHECK (fence >= 1),
  expires_at  INTEGER NOT NULL
) STRICT;

-- What an editor works from. No writer authority lies here (D-49).
CREATE TABLE edit_sessions (
  id          TEXT PRIMARY KEY,
  document_id TEXT NOT NULL REFERENCES documents (id),
  baseline_id TEXT NOT NULL REFERENCES revisions (id),
  buffer      BLOB,
  state       TEXT NOT NULL CHECK (state IN ('open', 'closed', 'expired')),
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  expires_at  INTEGER NOT NULL
) STRICT;
CREATE INDEX edit_sessions_open ON edit_sessions (document_id) WHERE state = 'open';

-- Hashes and counts only: no source text, no instruction, no token (D-44).
CREATE TABLE audit (
  seq            INTEGER PRIMARY KEY AUTOINCREMENT,
  at             INTEGER NOT NULL,
  kind           TEXT NOT NULL,
  document_id    TEXT NOT NULL,
  actor          TEXT NOT NULL,
  generation     INTEGER NOT NULL,
  change_set_id  TEXT,
  sha_before     TEXT,
  sha_after      TEXT,
  edits          INTEGER NOT NULL,
  bytes_removed  INTEGER NOT NULL,
  bytes_inserted INTEGER NOT NULL,
  notes          INTEGER NOT NULL,
  flags          INTEGER NOT NULL,
  fence          INTEGER NOT NULL
) STRICT;
CREATE INDEX audit_document ON audit (document_id, seq);

CREATE TABLE settings (
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;

-- Immutability (D-47, T-86).
CREATE TRIGGER revisions_no_update BEFORE UPDATE ON revisions
BEGIN SELECT RAISE(ABORT, 'revisions are immutable'); END;
CREATE TRIGGER revisions_no_delete BEFORE DELETE ON revisions
BEGIN SELECT RAISE(ABORT, 'revisions are immutable'); END;
CREATE TRIGGER change_sets_no_update BEFORE UPDATE ON change_sets
BEGIN SELECT RAISE(ABORT, 'change sets are immutable'); END;
CREATE TRIGGER change_sets_no_delete BEFORE DELETE ON change_sets
BEGIN SELECT RAISE(ABORT, 'change sets are immutable'); END;
CREATE TRIGGER audit_no_update BEFORE UPDATE ON audit
BEGIN SELECT RAISE(ABORT, 'audit rows are immutable'); END;
CREATE TRIGGER audit_no_delete BEFORE DELETE ON audit
BEGIN SELECT RAISE(ABORT, 'audit rows are immutable'); END;
-- A blob may be stored anew in another encoding, never under another name.
CREATE TRIGGER blobs_keep_name BEFORE UPDATE OF sha256, bytes ON blobs
BEGIN SELECT RAISE(ABORT, 'blobs are immutable'); END;

-- The head moves forward by one, each change of the row counts.
CREATE TRIGGER documents_step BEFORE UPDATE ON documents
WHEN NEW.state_rev <> OLD.state_rev + 1
  OR NEW.generation NOT IN (OLD.generation, OLD.generation + 1)
  OR (NEW.generation = OLD.generation) <> (NEW.head_id = OLD.head_id)
  OR NEW.id <> OLD.id OR NEW.created_at <> OLD.created_at
BEGIN SELECT RAISE(ABORT, 'a document moves one step at a time'); END;
CREATE TRIGGER documents_no_delete BEFORE DELETE ON documents
BEGIN SELECT RAISE(ABORT, 'documents are never deleted'); END;
CREATE TRIGGER leases_fence_grows BEFORE UPDATE ON leases
WHEN NEW.fence < OLD.fence OR (NEW.fence = OLD.fence AND NEW.holder NOT IN (OLD.holder, ''))
BEGIN SELECT RAISE(ABORT, 'a fencing token only grows'); END;
CREATE TRIGGER leases_no_delete BEFORE DELETE ON leases
BEGIN SELECT RAISE(ABORT, 'a fencing token only grows'); END;
