import { eventually } from "../../../test/support/waiting/eventually.ts";
import type { Cluster, Node } from "../cluster.ts";
import { isAnswering } from "../read-metrics.ts";
import { type Fault, NOTHING_ELSE } from "./fault.ts";

const MIN_PAUSE_MS = 500;
const MAX_PAUSE_MS = 2500;

interface Victim {
  readonly pid: () => number | null;
  /** Whose gateway it is; null: a sidecar or a control plane, which no call needs. */
  readonly gatewayOf: Node | null;
}

/** A process of any kind, again and again, while others may still be starting. */
export const kills: Fault = {
  name: "kills",
  title: options => `kill -9 of any process, ${options.kills} ×`,
  async strike({ cluster, load, options, random }) {
    const returning: Promise<void>[] = [];
    const victims = victimsIn(cluster);
    for (let killed = 0; killed < options.kills; ) {
      const victim = victims[Math.floor(random() * victims.length)];
      const pid = victim?.pid() ?? null;
      // It was killed a moment ago.
      if (victim === undefined || pid === null) {
        await Bun.sleep(MIN_PAUSE_MS / 10);
        continue;
      }
      if (victim.gatewayOf !== null) {
        const end = load.outage(victim.gatewayOf, "killed");
        returning.push(isBack(victim.gatewayOf, pid).then(end));
      }
      process.kill(pid, "SIGKILL");
      killed += 1;
      await Bun.sleep(MIN_PAUSE_MS + random() * (MAX_PAUSE_MS - MIN_PAUSE_MS));
    }
    await Promise.all(returning);
    return NOTHING_ELSE;
  },
};

function victimsIn({ nodes, planes }: Cluster): Victim[] {
  return [
    ...nodes.map(node => ({ pid: () => node.tollgate.gatewayPid(), gatewayOf: node })),
    ...nodes.map(({ tollgate }) => ({ pid: () => tollgate.sidecarPid(), gatewayOf: null })),
    ...planes.map(({ tollgate }) => ({ pid: () => tollgate.controlPid(), gatewayOf: null })),
  ];
}

/** Another process answers in its place. */
async function isBack({ name, tollgate, url }: Node, killed: number): Promise<void> {
  await eventually(`${name} is back`, async () => {
    const pid = tollgate.gatewayPid();
    return pid !== null && pid !== killed && (await isAnswering(`${url}/health`));
  });
}
