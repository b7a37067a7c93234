export const up = `
-- The key with which the call was made or reported; null in older events, because nothing recorded it.
ALTER TABLE events ADD COLUMN key_id TEXT;
`;
