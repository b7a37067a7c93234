import { expect, it } from "bun:test";
import { mostSevereFirst } from "./most-severe-first.ts";

it("puts critical alerts before those that came later, and keeps the order of equals", () => {
  const alerts = [
    { id: 1, severity: "info" },
    { id: 2, severity: "critical" },
    { id: 3, severity: "warning" },
    { id: 4, severity: "critical" },
    { id: 5, severity: "info" },
  ] as const;
  expect(mostSevereFirst(alerts).map(({ id }) => id)).toEqual([2, 4, 3, 1, 5]);
});
