import { afterAll, expect, it } from "bun:test";
import { Directory } from "@tollgate/storage/config/directory";
import { openControlDatabase } from "@tollgate/storage/database/open-control-database";
import { Ledger } from "@tollgate/storage/ledger/ledger";
import { controlDatabases } from "../../../../test/support/labs/control-databases.ts";
import { temporaryFolder } from "../../../../test/support/labs/temporary-folder.ts";
import { SAMPLE_DAY, sampleSettlement } from "../../../../test/support/rows/sample-event.ts";
import { eventually } from "../../../../test/support/waiting/eventually.ts";
import { reportSpend } from "./report-spend.ts";

const path = temporaryFolder();
const place = await controlDatabases().place("sqlite");
if (place.kind !== "sqlite") throw new Error("not a file");
const { db, close } = await openControlDatabase(place);
const directory = new Directory(place.path);
const ledger = new Ledger(path("ledger.db"), "normal", () => {}, { budgets: directory });
const stop = new AbortController();
afterAll(async () => {
  stop.abort();
  ledger.close();
  directory.close();
  await close();
});

it("REL-002 what was spent of blocking budgets is reported to other gateways, at startup and when one becomes blocking", async () => {
  await db
    .insertInto("organizations")
    .values({ id: "org", name: "org", tier: "pro", status: "active", hash_salt: "salt", created_at: 1 })
    .execute();
  const kinds = [
    { id: "blocking", agent_key: "default", enforcement_mode: "hard_block", status: "active" },
    { id: "unused", agent_key: "other", enforcement_mode: "hard_block", status: "active" },
    { id: "paused", agent_key: "default", enforcement_mode: "hard_block", status: "paused" },
    { id: "alerting", agent_key: "default", enforcement_mode: "alert_only", status: "active" },
  ] as const;
  const rest = { limit_microcents: 1000, warning_pct: 80, strict: 0, since: 1 };
  for (const kind of kinds) {
    await db
      .insertInto("budgets")
      .values({
        ...kind,
        ...rest,
        org_id: "org",
        mode: "live",
        agent_id: "agent",
        period: "monthly",
        created_at: 1,
        updated_at: 1,
      })
      .execute();
  }
  await ledger.append([sampleSettlement("1")]);
  const reported: string[] = [];
  const budgets = { reportSpend: ({ id }: { id: string }) => void reported.push(id) };
  const faults: unknown[] = [];
  const onFault = (fault: unknown) => faults.push(fault);
  void reportSpend({ directory, ledger, budgets, now: () => SAMPLE_DAY, onFault }, stop.signal);
  await eventually("startup is reported", () => reported.length > 0);
  expect(reported.splice(0)).toEqual(["blocking"]);
  const change = (id: string, values: object, at: number) =>
    db
      .updateTable("budgets")
      .set({ ...values, updated_at: at })
      .where("id", "=", id)
      .execute();
  await change("alerting", { enforcement_mode: "hard_block" }, 1_000_000);
  await eventually("the change is reported", () => reported.includes("alerting"));
  reported.splice(0);
  // By a control plane whose clock is far behind.
  await change("paused", { status: "active" }, 2);
  await eventually("the next change is reported", () => reported.includes("paused"));
  expect(reported).not.toContain("blocking");
  expect(faults).toEqual([]);
});
