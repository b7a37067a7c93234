import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { existsSync } from "node:fs";
import { type ClusterLab, type ClusterNode, startClusterLab } from "../support/labs/cluster-lab.ts";
import { temporaryFolder } from "../support/labs/temporary-folder.ts";
import { startTollgate, svc } from "../support/processes/tollgate-process.ts";
import { eventually } from "../support/waiting/eventually.ts";

const inFolder = temporaryFolder();
let lab: ClusterLab;
beforeAll(async () => {
  lab = await startClusterLab(inFolder);
}, 600_000);
afterAll(() => lab.stop());

describe("gateways on machines of their own", () => {
  it("a killed node loses and doubles no event, and the other one goes on", async () => {
    const [one, other] = await Promise.all([lab.startNode("node-1"), lab.startNode("node-2")]);
    const answered: string[] = [];
    const load = async (node: ClusterNode, calls: number) => {
      for (let made = 0; made < calls; made++) {
        const { eventId } = await lab.call(node);
        if (eventId !== null) answered.push(eventId);
      }
    };
    const running = [load(one, 60), load(one, 60), load(other, 60)];
    await eventually("some calls were answered", () => answered.length > 20);
    await one.tollgate.end();
    await Promise.all(running);
    const before = answered.length;
    const again = await lab.startNode("node-1");
    await load(again, 5);
    expect(answered.length).toBe(before + 5);
    await eventually("every answered call is recorded", async () => {
      const ids = new Set((await lab.recorded()).map(({ id }) => id));
      return answered.every(id => ids.has(id));
    });
    const ids = (await lab.recorded()).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);

    await eventually("both nodes are listed, with nothing left to ship", async () => {
      const listed = (await lab.svc("nodes", "--json")).json() as Record<string, unknown>[];
      const states = listed.map(({ id, status, unshipped_events }) => [id, status, unshipped_events]);
      return JSON.stringify(states) === '[["node-1","alive",0],["node-2","alive",0]]';
    });
    // Its sidecar writes its first status after a second.
    await eventually("the node is healthy", async () => (await fetch(`${again.url}/health`)).ok);
    expect(await (await fetch(`${again.url}/health`)).json()).toMatchObject({
      status: "ok",
      node: { id: "node-1", database: "ok" },
    });
    const metrics = async (url: string) => (await fetch(`${url}/metrics`)).text();
    await eventually("the metrics of both planes show that everything is shipped", async () => {
      const [ofGateway, ofControl] = [await metrics(again.url), await metrics(lab.control.addressOf("web"))];
      return (
        /^svc_gateway_unshipped_events 0$/m.test(ofGateway) &&
        /^svc_gateway_shipping_lag_seconds 0$/m.test(ofGateway) &&
        /^svc_gateway_database_up 1$/m.test(ofGateway) &&
        /^svc_control_node_unshipped_events\{node="node-1"\} 0$/m.test(ofControl) &&
        /^svc_control_node_silence_seconds\{node="node-1"\} [0-9.]+$/m.test(ofControl)
      );
    });
    const verified = await lab.svc("ledger", "verify");
    expect([verified.exitCode, verified.stderr]).toEqual([0, ""]);
    const ofNode = await svc(inFolder("node-1"), ["ledger", "verify"], {
      ...lab.shared,
      SVC_ROLE: "gateway",
    });
    expect([ofNode.exitCode, ofNode.stderr]).toEqual([0, ""]);
    for (const { stdout } of [verified, ofNode]) {
      expect(stdout).toMatch(/^ok: (\d+) events.*\n\1 events compared with PostgreSQL/);
    }
    await eventually("node-2 has just reported, and cannot be removed", async () => {
      const removed = await lab.svc("nodes", "remove", "node-2");
      return removed.exitCode === 2 && removed.stderr.includes("node node-2 is alive");
    });
  }, 600_000);

  it("a control plane on its own removes addresses.json when it stops", async () => {
    const control = await lab.startControl("control-2");
    expect(await control.stop()).toBe(0);
    expect(existsSync(control.addresses)).toBe(false);
  }, 600_000);

  it("say what is missing for their role", async () => {
    const alone = await svc(inFolder("alone"), ["org", "list"], { SVC_ROLE: "gateway" });
    expect(alone.stderr).toContain("SVC_DATABASE_URL must be set for SVC_ROLE=gateway");
    const unsigned = await svc(inFolder("alone"), ["org", "list"], {
      SVC_ROLE: "control",
      SVC_DATABASE_URL: lab.postgres.url,
    });
    expect(unsigned.stderr).toContain("SVC_SECRET must be set for SVC_ROLE=control");
    await lab.startNode("node-3");
    for (const one of lab.started.splice(-1)) await one.stop();
    const other = startTollgate(inFolder("node-3"), {
      ...lab.shared,
      SVC_ROLE: "gateway",
      SVC_NODE_ID: "another",
    });
    lab.started.push(other);
    expect(await other.ended()).not.toBe(0);
    expect(other.stderr).toContain("belongs to node node-3");
  }, 600_000);
});
