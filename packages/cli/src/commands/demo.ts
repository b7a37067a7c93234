import { type Command, optionalNumber, UsageError } from "../command.ts";
import type { Config } from "../config.ts";
import { answerBySimulator, type DemoEvent } from "../demo/answer-by-simulator.ts";
import { plotTraffic } from "../demo/plot-traffic.ts";
import { findRunningInstance } from "../instance.ts";
import { withControlStore } from "../open-store.ts";

const BATCH = 500;

export const demo: Command = {
  name: "demo",
  usage: "[--org ID] [--days N] [--calls N]",
  summary: "fills an organization with believable traffic, answered by the simulator; nothing goes out",
  options: { org: { type: "string" }, days: { type: "string" }, calls: { type: "string" } },
  async run(input) {
    const days = optionalNumber(input, "days") ?? 30;
    const calls = optionalNumber(input, "calls") ?? 2000;
    if (days < 1 || days > 365) throw new UsageError("--days must be from 1 to 365");
    if (calls < 1 || calls > 100_000) throw new UsageError("--calls must be from 1 to 100000");
    const gateway = runningGateway(input.config);
    const target = await withControlStore(input.config, async store => {
      const wanted = input.options.org;
      const organization =
        typeof wanted === "string"
          ? await store.findOrganization(wanted)
          : await store.createOrganization("demo", "enterprise", Date.now());
      if (!organization) throw new UsageError("no organization has that id");
      return { organization, key: await store.createKey(organization.id, "live", "write", Date.now()) };
    });

    const plotted = plotTraffic({ now: Date.now(), days, calls }, Math.random);
    const run = crypto.randomUUID().slice(0, 8);
    let accepted = 0;
    for (let from = 0; from < plotted.length; from += BATCH) {
      const events = await Promise.all(
        plotted
          .slice(from, from + BATCH)
          .map((call, index) => answerBySimulator(call, `demo-${run}-${from + index}`, Math.random)),
      );
      accepted += await send(gateway, target.key.key, events);
      input.note(`${accepted} of ${plotted.length} calls…`);
    }
    return {
      value: { org_id: target.organization.id, key: target.key.key, events: accepted, days },
      text:
        `${accepted} calls over ${days} days for organization ${target.organization.id}.\n` +
        `Its key, shown this once: ${target.key.key}`,
    };
  },
};

function runningGateway(config: Config): string {
  const addresses = findRunningInstance(config.dataDir)?.addresses;
  if (!addresses) throw new UsageError("Tollgate is not running: start it with `npm start` first");
  return addresses.gateway;
}

async function send(gateway: string, key: string, events: readonly DemoEvent[]): Promise<number> {
  const response = await fetch(`${gateway}/v1/events`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ events }),
  });
  if (!response.ok) throw new Error(`the gateway answered ${response.status}`);
  const { accepted, rejected } = (await response.json()) as {
    accepted: number;
    rejected: { error: string }[];
  };
  const [first] = rejected;
  if (first) throw new Error(`the gateway rejected an event: ${first.error}`);
  return accepted;
}
