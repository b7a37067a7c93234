export const up = `
-- Events before this one were removed by retention; all of them were admitted before begins_at. 0: none were.
CREATE TABLE history (begins_seq INTEGER NOT NULL, begins_at INTEGER NOT NULL) STRICT;
INSERT INTO history VALUES (0, 0);

-- What the removed events add up to, so that every sum can still be checked.
CREATE TABLE removed_events (
  org_id TEXT NOT NULL,
  mode TEXT NOT NULL,
  month TEXT NOT NULL,
  events INTEGER NOT NULL,
  -- Without those of verifications, like monthly_calls.
  calls INTEGER NOT NULL,
  cost_microcents INTEGER NOT NULL,
  unpriced_calls INTEGER NOT NULL,
  PRIMARY KEY (org_id, mode, month)
) STRICT, WITHOUT ROWID;

-- Removed events that a client reported: one that is sent again must still be recognized.
CREATE TABLE removed_ids (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

DROP TRIGGER events_are_never_removed;
CREATE TRIGGER events_are_never_removed BEFORE DELETE ON events
  WHEN OLD.seq >= (SELECT begins_seq FROM history)
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
`;
