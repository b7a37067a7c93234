/** How long the background work of control planes rests when the one that does it is killed, or freezes. */
import { eventually } from "../../../test/support/waiting/eventually.ts";
import type { Condition } from "../../gateway/conditions.ts";
import type { Cluster, Plane } from "../cluster.ts";
import { readMetrics } from "../read-metrics.ts";
import type { Measure } from "./measure.ts";

const LIMIT_S = 5;
const METRIC = "svc_control_leads_jobs";

export const takeover: Measure = {
  name: "takeover",
  async run(cluster) {
    const killed = await findLeader(cluster);
    const killedS = await untilAnotherLeads(cluster, killed, () => {
      // The supervisor too, so that it does not come back.
      process.kill(controlOf(killed), "SIGKILL");
      killed.tollgate.kill("SIGKILL");
    });
    await cluster.restart(killed);

    const frozen = await findLeader(cluster);
    const pid = controlOf(frozen);
    const frozenS = await untilAnotherLeads(cluster, frozen, () => process.kill(pid, "SIGSTOP"));
    process.kill(pid, "SIGCONT");
    await eventually("only one control plane leads", async () => (await leaders(cluster)).length === 1);
    return {
      lines: [
        `another control plane leads ${killedS.toFixed(1)} s after the leading one was killed, ${frozenS.toFixed(1)} s after it was frozen`,
      ],
      conditions: [judge("killed", killedS), judge("frozen", frozenS)],
    };
  },
};

async function leaders({ planes }: Cluster): Promise<Plane[]> {
  const leading = await Promise.all(planes.map(leads));
  return planes.filter((_, index) => leading[index]);
}

async function leads({ tollgate }: Plane): Promise<boolean> {
  return (await readMetrics(tollgate.addressOf("web"), [METRIC]))?.[METRIC] === 1;
}

async function findLeader(cluster: Cluster): Promise<Plane> {
  let found: Plane | undefined;
  await eventually("one control plane leads", async () => {
    const all = await leaders(cluster);
    found = all[0];
    return all.length === 1;
  });
  if (found === undefined) throw new Error("no control plane leads");
  return found;
}

async function untilAnotherLeads({ planes }: Cluster, former: Plane, strike: () => void): Promise<number> {
  const other = planes.find(plane => plane !== former);
  if (other === undefined) throw new Error("there is no other control plane");
  const startedMs = performance.now();
  strike();
  await eventually("the other control plane leads", () => leads(other));
  return (performance.now() - startedMs) / 1000;
}

function controlOf({ name, tollgate }: Plane): number {
  const pid = tollgate.controlPid();
  if (pid === null) throw new Error(`${name} does not run`);
  return pid;
}

function judge(what: string, seconds: number): Condition {
  return {
    text: `another control plane takes over within ${LIMIT_S} s of the leading one being ${what}`,
    verdict: seconds <= LIMIT_S ? "PASS" : "FAIL",
    numbers: `${seconds.toFixed(1)} s`,
  };
}
