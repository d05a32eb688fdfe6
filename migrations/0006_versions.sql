-- Names that people give to versions. A row says that from its moment on a name
-- stands for a version; rows are only added. One counts as long as no later row
-- gives the version another name, or the name to another version. An empty name
-- takes the version's name away.
CREATE TABLE version_names (
  seq         INTEGER PRIMARY KEY AUTOINCREMENT,
  document_id TEXT NOT NULL,
  generation  INTEGER NOT NULL,
  name        TEXT NOT NULL CHECK (length(name) <= 100 AND trim(name) = name),
  actor       TEXT NOT NULL,
  at          INTEGER NOT NULL,
  FOREIGN KEY (document_id, generation) REFERENCES revisions (document_id, generation)
) STRICT;
CREATE INDEX version_names_version ON version_names (document_id, generation, seq);
CREATE INDEX version_names_name ON version_names (document_id, name, seq);

CREATE TRIGGER version_names_no_update BEFORE UPDATE ON version_names
BEGIN SELECT RAISE(ABORT, 'names of versions are immutable'); END;
CREATE TRIGGER version_names_no_delete BEFORE DELETE ON version_names
BEGIN SELECT RAISE(ABORT, 'names of versions are immutable'); END;
