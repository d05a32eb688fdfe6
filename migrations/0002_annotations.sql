-- Anchors, drafts of annotations, and turns with their immutable snapshots.

CREATE TABLE anchors (
  id          TEXT PRIMARY KEY,
  document_id TEXT NOT NULL REFERENCES documents (id),
  revision_id TEXT NOT NULL REFERENCES revisions (id),
  source_sha  TEXT NOT NULL CHECK (length(source_sha) = 64),
  body        TEXT NOT NULL CHECK (json_valid(body))
) STRICT;

-- A turn is an accepted message with the ordered notes as they were sent. Only
-- its state moves.
CREATE TABLE turns (
  id          TEXT PRIMARY KEY,
  session_id  TEXT NOT NULL,
  request_id  TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  document_id TEXT NOT NULL REFERENCES documents (id),
  revision_id TEXT NOT NULL REFERENCES revisions (id),
  message     TEXT NOT NULL,
  notes       TEXT NOT NULL CHECK (json_valid(notes)),
  state       TEXT NOT NULL CHECK (state IN ('accepted', 'running', 'applied', 'answered', 'discarded', 'failed')),
  model       TEXT NOT NULL,
  at          INTEGER NOT NULL,
  UNIQUE (session_id, request_id)
) STRICT;
CREATE INDEX turns_document ON turns (document_id, at);
CREATE INDEX turns_unfinished ON turns (state) WHERE state IN ('accepted', 'running');

CREATE TABLE annotations (
  id          TEXT PRIMARY KEY,
  session_id  TEXT NOT NULL,
  document_id TEXT NOT NULL REFERENCES documents (id),
  revision_id TEXT NOT NULL REFERENCES revisions (id),
  ord         INTEGER NOT NULL CHECK (ord >= 1),
  instruction TEXT NOT NULL CHECK (octet_length(instruction) <= 16384),
  state       TEXT NOT NULL CHECK (state IN ('draft', 'sent', 'discarded')),
  turn_id     TEXT REFERENCES turns (id),
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  CHECK ((state = 'sent') = (turn_id IS NOT NULL))
) STRICT;
CREATE INDEX annotations_list ON annotations (document_id, session_id, state, ord);

CREATE TABLE annotation_targets (
  annotation_id TEXT NOT NULL REFERENCES annotations (id),
  position      INTEGER NOT NULL CHECK (position >= 1),
  anchor_id     TEXT NOT NULL REFERENCES anchors (id),
  PRIMARY KEY (annotation_id, position)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER anchors_no_update BEFORE UPDATE ON anchors
BEGIN SELECT RAISE(ABORT, 'anchors are immutable'); END;
CREATE TRIGGER anchors_no_delete BEFORE DELETE ON anchors
BEGIN SELECT RAISE(ABORT, 'anchors are immutable'); END;
CREATE TRIGGER annotation_targets_no_update BEFORE UPDATE ON annotation_targets
BEGIN SELECT RAISE(ABORT, 'targets are immutable'); END;
CREATE TRIGGER annotation_targets_no_delete BEFORE DELETE ON annotation_targets
BEGIN SELECT RAISE(ABORT, 'targets are immutable'); END;
CREATE TRIGGER annotations_settled BEFORE UPDATE ON annotations WHEN OLD.state <> 'draft'
BEGIN SELECT RAISE(ABORT, 'a sent or discarded annotation is immutable'); END;
CREATE TRIGGER annotations_identity BEFORE UPDATE OF id, session_id, document_id, revision_id, created_at ON annotations
BEGIN SELECT RAISE(ABORT, 'an annotation keeps its identity'); END;
CREATE TRIGGER annotations_no_delete BEFORE DELETE ON annotations
BEGIN SELECT RAISE(ABORT, 'annotations are discarded, not deleted'); END;
CREATE TRIGGER turns_snapshot BEFORE UPDATE OF id, session_id, request_id, fingerprint, document_id, revision_id, message, notes, model, at ON turns
BEGIN SELECT RAISE(ABORT, 'the snapshot of a turn is immutable'); END;
CREATE TRIGGER turns_ended BEFORE UPDATE ON turns WHEN OLD.state NOT IN ('accepted', 'running')
BEGIN SELECT RAISE(ABORT, 'the turn has ended'); END;
CREATE TRIGGER turns_no_delete BEFORE DELETE ON turns
BEGIN SELECT RAISE(ABORT, 'turns are immutable'); END;
