export const up = `
-- Beside what was spent: what providers may yet bill for calls whose cost was estimated, kept back by strict budgets.
ALTER TABLE budget_spend ADD COLUMN withheld_microcents INTEGER NOT NULL DEFAULT 0;
`;
