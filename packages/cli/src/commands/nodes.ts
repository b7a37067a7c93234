import { listNodes, NODE_SILENCE_MS } from "@tollgate/storage/shared-ledger/node-register";
import { unusedAllowances } from "@tollgate/storage/shared-ledger/unused-allowances";
import { withControlStore } from "../data-directory/open-store.ts";
import { showAmount } from "../output/show-amount.ts";
import type { Command } from "./command.ts";

export const nodes: Command = {
  name: "nodes",
  usage: "",
  summary: "lists the gateways of an installation on several machines, and what each has not shipped yet",
  options: {},
  run: input =>
    withControlStore(input.config, async ({ database }) => {
      const unused = await unusedAllowances(database.db, Date.now());
      const found = (await listNodes(database)).map(node => ({
        id: node.id,
        host: node.host,
        version: node.version,
        status: node.silentForMs > NODE_SILENCE_MS ? "silent" : "alive",
        created_at: new Date(node.createdAtMs).toISOString(),
        last_seen_at: new Date(node.lastSeenAtMs).toISOString(),
        unshipped_events: node.unshippedEvents,
        unused_allowance_microcents: unused.get(node.id) ?? 0,
      }));
      const lines = found.flatMap(node => [
        `${node.id}  ${node.status.padEnd(6)}  seen ${node.last_seen_at}  ${node.unshipped_events} unshipped  ${node.host}  ${node.version}`,
        ...(node.status === "silent" && node.unused_allowance_microcents > 0
          ? [
              `  holds ${showAmount(node.unused_allowance_microcents)} of budgets that no other gateway can use: start it, or run svc nodes remove ${node.id}`,
            ]
          : []),
      ]);
      return { value: found, text: lines.join("\n") || "no nodes: one machine does everything" };
    }),
};
