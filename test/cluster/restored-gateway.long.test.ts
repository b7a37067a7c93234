import { afterAll, beforeAll, expect, it } from "bun:test";
import { renameSync } from "node:fs";
import { type ClusterLab, type ClusterNode, startClusterLab } from "../support/labs/cluster-lab.ts";
import { temporaryFolder } from "../support/labs/temporary-folder.ts";
import { svc } from "../support/processes/tollgate-process.ts";
import { eventually } from "../support/waiting/eventually.ts";

const inFolder = temporaryFolder();
let lab: ClusterLab;
beforeAll(async () => {
  lab = await startClusterLab(inFolder);
}, 600_000);
afterAll(() => lab.stop());

it("REL-015 a gateway restored from its own backup loses nothing that PostgreSQL has, and ships nothing twice", async () => {
  const ids: (string | null)[] = [];
  const call = async (node: ClusterNode, times: number) => {
    for (let made = 0; made < times; made++) ids.push((await lab.call(node)).eventId);
    await eventually("every call is recorded once", async () => {
      const recorded = await lab.recorded();
      return recorded.length >= ids.length && recorded.every(({ id }) => ids.includes(id));
    });
    expect(await lab.recorded()).toHaveLength(ids.length);
  };
  const settings = { ...lab.shared, SVC_ROLE: "gateway" };
  const node = await lab.startNode("node-1");
  await call(node, 5);
  const taken = await svc(inFolder("node-1"), ["backup", inFolder("backup")], settings);
  expect([taken.exitCode, taken.stdout]).toEqual([0, expect.stringContaining("Back it up on its own")]);
  await call(node, 4);

  // The machine is lost. Its last calls are only in PostgreSQL.
  await node.tollgate.end();
  renameSync(inFolder("node-1"), inFolder("lost"));
  const restored = await svc(inFolder("node-1"), ["restore", inFolder("backup")], settings);
  expect([restored.exitCode, restored.stdout]).toEqual([
    0,
    expect.stringContaining("PostgreSQL stays as it is"),
  ]);
  await call(await lab.startNode("node-1"), 3);
  expect((await lab.svc("ledger", "verify", "--json")).json()).toMatchObject({
    ok: true,
    events: ids.length,
    differences: [],
  });
}, 600_000);
