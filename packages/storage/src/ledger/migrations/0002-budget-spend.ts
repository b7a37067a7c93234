export const up = `
-- The id under which an ingested event was sent; its own id is made from it, so that two organizations may use one.
ALTER TABLE events ADD COLUMN external_id TEXT;

-- What each budget has spent in a period since it was made or last reset. Written with the events it sums.
CREATE TABLE budget_spend (
  budget_id TEXT NOT NULL,
  since INTEGER NOT NULL,
  period TEXT NOT NULL,
  spent_microcents INTEGER NOT NULL,
  PRIMARY KEY (budget_id, since, period)
) STRICT, WITHOUT ROWID;
`;
