import { afterAll, beforeAll, expect, it } from "bun:test";
import { DAY_MS } from "@tollgate/core/time/durations";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { SQL } from "bun";
import { type ClusterLab, startClusterLab } from "../support/labs/cluster-lab.ts";
import { temporaryFolder } from "../support/labs/temporary-folder.ts";
import { svc } from "../support/processes/tollgate-process.ts";
import { eventually } from "../support/waiting/eventually.ts";

const OLD_CALLS = 30;
const NEW_CALLS = 5;

const inFolder = temporaryFolder();
let lab: ClusterLab;
beforeAll(async () => {
  lab = await startClusterLab(inFolder, { SVC_RETENTION_DAYS: "31" });
}, 600_000);
afterAll(() => lab.stop());

interface Verified {
  readonly ok: boolean;
  readonly events: number;
  readonly removed_events: number;
  readonly test_cost_microcents: number;
  readonly differences: readonly string[];
}

it("REL-022 old calls leave the gateway, PostgreSQL and the control planes, and every sum stays", async () => {
  const node = await lab.startNode("node-1");
  const report = (name: string) =>
    fetch(`${node.url}/v1/events`, {
      method: "POST",
      headers: { authorization: `Bearer ${lab.key}`, "content-type": "application/json" },
      body: JSON.stringify({
        events: Array.from({ length: OLD_CALLS }, (_, index) => ({
          id: `${name}-${index}`,
          timestamp: new Date(Date.now() - 60 * DAY_MS).toISOString(),
          model: "gpt-4o-mini",
          input_tokens: 1000,
          output_tokens: 100,
        })),
      }),
    }).then(answer => answer.json());
  expect(await report("old")).toMatchObject({ accepted: OLD_CALLS });
  for (let made = 0; made < NEW_CALLS; made++) expect((await lab.call(node)).status).toBe(200);
  await eventually("every call is derived", async () => {
    const { total } = await lab.client.call("analytics.breakdown", { group_by: "model", days: 90 });
    return total.call_count === OLD_CALLS + NEW_CALLS;
  });
  const verify = async (name: string, role: "control" | "gateway") => {
    const settings = { ...lab.shared, SVC_ROLE: role };
    return (await svc(inFolder(name), ["ledger", "verify", "--json"], settings)).json() as Verified;
  };
  const { test_cost_microcents: cost } = await verify("control", "control");

  // Retention looks once a minute, and when a control plane starts.
  await lab.control.stop();
  const control = await lab.startControl("control");
  const sql = new SQL(lab.postgres.url, { max: 1 });
  await eventually("PostgreSQL has only the new calls", async () => {
    const [row] = await sql`SELECT count(*)::INT AS events FROM shared_events`;
    return row.events === NEW_CALLS;
  });
  await eventually("both large tables are divided", async () => {
    const [row] =
      await sql`SELECT count(*)::INT AS ranges FROM (VALUES ('facts'), ('shared_events')) AS divided (name),
      pg_partition_tree(name) WHERE isleaf AND relid::TEXT LIKE name || '\\_before\\_%'`;
    return row.ranges >= 2;
  });
  await sql.close();
  for (const name of ["node-1", "control"]) {
    await eventually(`${name} has only the new calls`, () => {
      const ledger = new LedgerReader(inFolder(`${name}/ledger.db`));
      const [oldest, newest] = [ledger.oldestSeq(), ledger.newestSeq()];
      ledger.close();
      return oldest === OLD_CALLS + 1 && newest === OLD_CALLS + NEW_CALLS;
    });
  }
  // A report that is repeated is recognized, and a new control plane has what is left.
  expect(await report("old")).toMatchObject({ accepted: 0, duplicates: OLD_CALLS });
  await lab.startControl("another");
  const expected = {
    ok: true,
    events: NEW_CALLS,
    removed_events: OLD_CALLS,
    test_cost_microcents: cost,
    differences: [],
  };
  for (const name of ["control", "another"]) expect(await verify(name, "control")).toMatchObject(expected);
  expect(await verify("node-1", "gateway")).toMatchObject(expected);
  const days = await fetch(`${control.addressOf("web")}/api/analytics/breakdown?group_by=model&days=90`, {
    headers: { authorization: `Bearer ${lab.key}` },
  });
  expect(await days.json()).toMatchObject({ total: { call_count: OLD_CALLS + NEW_CALLS } });
}, 600_000);
