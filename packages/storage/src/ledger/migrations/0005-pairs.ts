export const up = `
ALTER TABLE events ADD COLUMN pair TEXT;
`;
