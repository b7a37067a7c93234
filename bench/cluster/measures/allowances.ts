/** What a budget far from its limit costs: transactions in which nodes ask for a part of it. */
import type { Cluster } from "../cluster.ts";
import { knowsBudgets } from "../knows-budgets.ts";
import { readMetrics } from "../read-metrics.ts";
import { sendCall } from "../send-call.ts";
import type { Measure } from "./measure.ts";

const CALLS = 3000;
const CALLERS = 30;
const LIMIT_MICROCENTS = 1_000_000_000_000;
const MAX_PER_THOUSAND = 10;
const CUSTOMER = "far from its limit";
const METRIC = "svc_gateway_allowance_transactions_total";

export const allowances: Measure = {
  name: "allowances",
  async run(cluster) {
    const { id } = await cluster.client().call("budgets.create", {
      period: "monthly",
      limit_microcents: LIMIT_MICROCENTS,
      enforcement_mode: "hard_block",
      customer_id: CUSTOMER,
    });
    await knowsBudgets(cluster.nodes, cluster.key, cluster.client());
    const before = await transactions(cluster);
    const startedMs = performance.now();
    let sent = 0;
    let served = 0;
    const caller = async () => {
      while (sent < CALLS) {
        const number = sent++;
        const node = cluster.nodes[number % cluster.nodes.length];
        const call = { id: `allowances-${number}`, key: cluster.key, headers: { "x-customer-id": CUSTOMER } };
        if (node && (await sendCall(node.url, call)).status === 200) served += 1;
      }
    };
    await Promise.all(Array.from({ length: CALLERS }, caller));
    const seconds = (performance.now() - startedMs) / 1000;
    const asked = (await transactions(cluster)) - before;
    await cluster.client().call("budgets.delete", { id });
    const perThousand = (asked / CALLS) * 1000;
    const rate = Math.round(CALLS / seconds);
    return {
      lines: [
        `allowance transactions far from a limit: ${asked} for ${CALLS} calls at ${rate} calls/s, ${perThousand.toFixed(1)} per 1,000 calls`,
      ],
      conditions: [
        {
          text: `a budget far from its limit costs at most ${MAX_PER_THOUSAND} transactions per 1,000 calls, and refuses none`,
          verdict: perThousand <= MAX_PER_THOUSAND && served === CALLS ? "PASS" : "FAIL",
          numbers: `${perThousand.toFixed(1)}, ${CALLS - served} refused`,
        },
      ],
    };
  },
};

async function transactions({ nodes }: Cluster): Promise<number> {
  const counts = await Promise.all(nodes.map(({ url }) => readMetrics(url, [METRIC])));
  return counts.reduce((sum, metrics) => sum + (metrics?.[METRIC] ?? Number.NaN), 0);
}
