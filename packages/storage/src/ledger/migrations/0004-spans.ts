export const up = `
ALTER TABLE events ADD COLUMN trace_id TEXT;
ALTER TABLE events ADD COLUMN span_id TEXT;
ALTER TABLE events ADD COLUMN instrumentation TEXT;

-- Spans that tell of a call which has its event already. An event takes one of each instrumentation, for ever: a
-- second span of the same instrumentation is another call.
CREATE TABLE linked_spans (
  event_id TEXT NOT NULL,
  instrumentation TEXT NOT NULL,
  -- The id that the span's own event would have had.
  span_event_id TEXT NOT NULL UNIQUE,
  PRIMARY KEY (event_id, instrumentation)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER links_are_never_changed BEFORE UPDATE ON linked_spans
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER links_are_never_removed BEFORE DELETE ON linked_spans
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
`;
