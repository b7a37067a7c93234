import { describe, expect, it } from "bun:test";
import { ZERO_MICROCENTS } from "@tollgate/core/money/money";
import { sql } from "kysely";
import { controlDatabases, engines } from "../../../../../test/support/labs/control-databases.ts";
import { temporaryFolder } from "../../../../../test/support/labs/temporary-folder.ts";
import { SAMPLE_DAY, sampleSettlement } from "../../../../../test/support/rows/sample-event.ts";
import { Ledger } from "../../ledger/ledger.ts";
import { LedgerReader } from "../../ledger/ledger-reader.ts";
import { followReadModel } from "./follow-read-model.ts";
import { verifyReadModel } from "./verify-read-model.ts";

const unpriced = {
  cost_basis: "unpriced",
  cost_microcents: ZERO_MICROCENTS,
  price_version: null,
} as const;
const databases = controlDatabases();
const inFolder = temporaryFolder();
let made = 0;

/** A change to the read model, and the difference that must then be reported. */
const planted: [string, RegExp][] = [
  [
    "UPDATE facts SET cost_microcents = cost_microcents + 1 WHERE seq = 2",
    /^facts: event event 1: cost_microcents/,
  ],
  ["UPDATE facts SET status = 3 WHERE seq = 2", /^facts: event event 1: status is 3, but in the ledger 0/],
  ["UPDATE facts SET session = NULL WHERE seq = 2", /^facts: event event 1: session_id is null/],
  ["DELETE FROM facts WHERE seq = 3", /^facts: event event 2 \(seq 3\) is missing/],
  ["UPDATE agents SET agent_id = 'other'", /^facts: event event \d: agent_id is other/],
  ["UPDATE agents SET last_call_at = 1", /^agents: id \d+ is not the sum/],
  [
    "UPDATE rollup_hours SET cost_microcents = cost_microcents + 1 WHERE agent > 0 AND model > 0",
    /^rollup_hours: scope/,
  ],
  ["UPDATE rollup_hours SET calls = calls + 1 WHERE agent = 0", /^rollup_hours: scope \d+, agent 0/],
  ["UPDATE rollup_days SET h05 = h05 + 1 WHERE model = 0", /^rollup_days: scope \d+, agent \d+, model 0/],
  ["DELETE FROM rollup_days WHERE agent > 0 AND model > 0", /^rollup_days: scope .* is not the sum/],
  ["DELETE FROM rollup_days WHERE agent = 0", /^rollup_days: scope .* is not the sum/],
  ["UPDATE customer_days SET input_tokens = 0", /^customer_days: scope \d+, customer \d+, day/],
  ["UPDATE customer_weeks SET errors = 7", /^customer_weeks: scope \d+, customer \d+, week/],
  ["DELETE FROM customer_weeks", /^customer_weeks: scope .* is not the sum/],
  ["DELETE FROM customer_days", /^customer_days: scope .* is not the sum/],
  [
    "UPDATE agent_version_days SET output_tokens = 0",
    /^agent_version_days: scope \d+, agent -?\d+, config_version \d+, day/,
  ],
  ["DELETE FROM agent_version_days", /^agent_version_days: scope .* is not the sum/],
  ["UPDATE sessions SET errors = 9", /^sessions: scope \d+, id \d+ is not the sum/],
  ["UPDATE customers SET last_at = last_at + 1", /^customers: /],
  ["UPDATE config_versions SET cost_microcents = 0", /^config_versions: /],
  ["UPDATE facts SET unpriced = 0", /^facts: event event 3: unpriced is 0, but in the ledger 1/],
  [
    "UPDATE facts SET unpriced = 1 WHERE seq = 1",
    /^facts: event event 0: unpriced is 1, but in the ledger 0/,
  ],
  ["UPDATE rollup_days SET unpriced_calls = 0 WHERE agent = 0", /^rollup_days: scope \d+, agent 0/],
  ["UPDATE sessions SET unpriced_calls = 2", /^sessions: scope \d+, id \d+ is not the sum/],
  ["UPDATE customer_days SET unpriced_calls = 0", /^customer_days: /],
  ["DELETE FROM fact_lists WHERE dimension = 2", /^fact_lists: by model, 0 facts are listed/],
  [
    "UPDATE fact_lists SET value = value + 1 WHERE dimension = 4",
    /^fact_lists: by customer, 4 facts are listed, 0 of them under their own value, of 4/,
  ],
  ["UPDATE fact_lists SET to_at = from_at WHERE dimension = 1", /^fact_lists: by agent, 2 facts are listed/],
  [
    "UPDATE fact_lists SET offsets = '[1,1]' WHERE dimension = 3 AND after_seq = 0",
    /^fact_lists: by agent_model, 4 facts are listed, 4 of them under their own value, of 4/,
  ],
  ["UPDATE adjustments SET amount_microcents = 4", /^facts: event event 0: cost_microcents/],
  [
    "UPDATE cursors SET position = position - 1 WHERE reader = 'read-model:events'",
    /^facts: seq 4 is not in the ledger/,
  ],
];

describe.each(engines)("verifying the read model on %s", engine => {
  it("REL-005 MON-021 finds every planted difference, and no other", async () => {
    const database = await databases.open(engine);
    const path = inFolder(`ledger-${++made}.db`);
    const ledger = new Ledger(path, "normal");
    const subject = { session_id: "s", customer_id: "c", config_version: "v" };
    await ledger.append(
      [0, 1, 2, 3].map(index =>
        sampleSettlement(`event ${index}`, {
          ...subject,
          created_at: SAMPLE_DAY + index * 3_600_000,
          ...(index === 3 ? unpriced : {}),
        }),
      ),
    );
    await database.db
      .insertInto("adjustments")
      .values({
        event_id: "event 0",
        org_id: "org",
        amount_microcents: 5,
        price_version: "v",
        card: "{}",
        created_at: 1,
      })
      .execute();
    const reader = new LedgerReader(path);
    await followReadModel(database, reader, { listing: { segmentEvents: 2 } }).catchUp();
    expect(await verifyReadModel(database, reader)).toEqual([]);

    for (const [change, expected] of planted) {
      const kept = new Error("undone");
      const differences = await database.db
        .transaction()
        .execute(async transaction => {
          await sql.raw(change).execute(transaction);
          // Checked inside the transaction, so that each change is rolled back before the next.
          const found = await verifyReadModel({ ...database, db: transaction }, reader);
          throw Object.assign(kept, { found });
        })
        .catch((fault: Error & { found?: string[] }) => {
          if (fault !== kept) throw fault;
          return fault.found ?? [];
        });
      expect({ change, found: differences.some(text => expected.test(text)), differences }).toMatchObject({
        change,
        found: true,
      });
    }
    expect(await verifyReadModel(database, reader)).toEqual([]);
  });
});
