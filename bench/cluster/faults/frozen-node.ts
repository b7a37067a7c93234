import { type Fault, NOTHING_ELSE } from "./fault.ts";

/** A node that wakes up late: gateway and sidecar are where they were, and the others have gone on. */
export const frozenNode: Fault = {
  name: "frozen-node",
  title: ({ seconds }) => `a node frozen for ${seconds} s`,
  async strike({ cluster, load, options, random }) {
    const node = cluster.nodes[Math.floor(random() * cluster.nodes.length)];
    const pids = [node?.tollgate.gatewayPid() ?? null, node?.tollgate.sidecarPid() ?? null];
    if (node === undefined || pids.includes(null)) throw new Error("the node does not run");
    const signal = (name: "SIGSTOP" | "SIGCONT") => {
      for (const pid of pids) if (pid !== null) process.kill(pid, name);
    };
    const end = load.outage(node, "frozen");
    signal("SIGSTOP");
    await Bun.sleep(options.seconds * 1000);
    signal("SIGCONT");
    // The calls that waited are answered first.
    await Bun.sleep(1000);
    end();
    return NOTHING_ELSE;
  },
};
