import { expect, it } from "bun:test";
import { join } from "node:path";
import { tones } from "@tollgate/core/contract/loop-views";
import {
  actuationChanges,
  authorities,
  blockedReasons,
  breakerStates,
  decisionClasses,
  proposalActions,
  proposalStatuses,
  rollbackReasons,
} from "@tollgate/core/decisions/vocabulary";
import {
  evidenceModes,
  requestEndReasons,
  requestStatuses,
  trialStatuses,
  verdictNames,
} from "@tollgate/core/verification/vocabulary";

const docs = (name: string) => Bun.file(join(import.meta.dir, "../../../docs", name)).text();

it.each([
  ["changes.md", { actuationChanges, authorities, blockedReasons, decisionClasses }],
  ["changes.md", { breakerStates, proposalActions, proposalStatuses, rollbackReasons }],
  ["verification.md", { evidenceModes, requestEndReasons, requestStatuses, trialStatuses, verdictNames }],
  ["reports.md", { tones }],
])("LOOP-026 %s names every value of its vocabulary", async (name, sets) => {
  const text = await docs(name);
  for (const [set, values] of Object.entries<readonly string[]>(sets)) {
    const missing = values.filter(value => !text.includes(`\`${value}\``));
    expect([set, missing]).toEqual([set, []]);
  }
});
