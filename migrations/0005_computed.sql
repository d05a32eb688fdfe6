-- A change set is computed when its edits are the difference of two texts and
-- not what somebody did: an outside change, a restore, a manual save of source,
-- and whatever takes one of these back or puts it back. Such edits do not tell
-- which of several equal pieces moved.
ALTER TABLE change_sets ADD COLUMN computed INTEGER NOT NULL DEFAULT 0 CHECK (computed IN (0, 1));

DROP TRIGGER change_sets_no_update;
UPDATE change_sets SET computed = 1 WHERE id IN (
  WITH RECURSIVE c (id) AS (
    SELECT id FROM change_sets WHERE source IN ('outside', 'restore')
    UNION
    SELECT s.id FROM change_sets s JOIN c ON s.reverts = c.id)
  SELECT id FROM c);
CREATE TRIGGER change_sets_no_update BEFORE UPDATE ON change_sets
BEGIN SELECT RAISE(ABORT, 'change sets are immutable'); END;
