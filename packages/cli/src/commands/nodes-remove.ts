import { listNodes, NODE_SILENCE_MS, removeNode } from "@tollgate/storage/shared-ledger/node-register";
import { returnAllowances } from "@tollgate/storage/shared-ledger/return-allowances";
import { sinceLastRequestMs } from "@tollgate/storage/shared-ledger/since-last-request";
import { unusedAllowances } from "@tollgate/storage/shared-ledger/unused-allowances";
import { UsageError } from "../config/usage-error.ts";
import { withControlStore } from "../data-directory/open-store.ts";
import { showAmount } from "../output/show-amount.ts";
import type { Command } from "./command.ts";

/** Longer than a lease: a gateway that is only cut off no longer admits calls on what others now get. */
const ALLOWANCES_LAST_MS = 60_000;

export const nodesRemove: Command = {
  name: "nodes remove",
  usage: "ID [--force]",
  argument: "the node's id",
  summary:
    "removes a dead gateway from the list, and returns what it has not used of budgets and monthly calls; one that starts again is listed again",
  options: { force: { type: "boolean" } },
  run: input =>
    withControlStore(
      input.config,
      async ({ database }) => {
        const node = (await listNodes(database)).find(({ id }) => id === input.argument);
        if (node === undefined) throw new UsageError(`there is no node ${input.argument}`);
        if (node.silentForMs <= NODE_SILENCE_MS) {
          throw new UsageError(
            `node ${node.id} is alive, or was until a moment ago: stop it, and try again a minute later`,
          );
        }
        if (node.unshippedEvents > 0 && input.options.force !== true) {
          throw new UsageError(
            `node ${node.id} has ${node.unshippedEvents} events that only its own ledger has: start it once more, or add --force`,
          );
        }
        if (node.silentForMs <= ALLOWANCES_LAST_MS) {
          throw new UsageError(`node ${node.id} may still use its allowances: try again in a minute`);
        }
        // Its sidecar reports that a node is alive; the gateway beside it asks by itself.
        const sinceRequestMs = await sinceLastRequestMs(database, node.id);
        const hasAsked = sinceRequestMs !== null && sinceRequestMs <= ALLOWANCES_LAST_MS;
        if (hasAsked && input.options.force !== true) {
          throw new UsageError(
            `the gateway of node ${node.id} has used budgets within the last minute, although its sidecar is silent: stop it first, or add --force`,
          );
        }
        const unused = async () => (await unusedAllowances(database.db, Date.now())).get(node.id) ?? 0;
        const most = await unused();
        if (most > 0) {
          input.note(
            `returning up to ${showAmount(most)} of budgets to the other gateways: if the ledger of ${node.id} has calls that PostgreSQL does not know, they count when it runs again, and limits may be exceeded by up to that much, those of strict budgets, too`,
          );
        }
        await returnAllowances(database.db, node.id, Date.now());
        // What it had shipped, but not reported, stays granted.
        const returned = most - (await unused());
        await removeNode(database, node.id);
        return {
          value: { id: node.id, removed: true, returned_microcents: returned },
          text: `removed ${node.id}${returned > 0 ? `, and returned ${showAmount(returned)} of budgets` : ""}`,
        };
      },
      { command: "svc nodes remove" },
    ),
};
