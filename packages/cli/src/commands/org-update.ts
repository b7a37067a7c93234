import { tierNames } from "@tollgate/core/limits/tiers";
import type { OrganizationChange } from "@tollgate/storage/config/control-store";
import { requireOrganization } from "../accounts/require-organization.ts";
import { UsageError } from "../config/usage-error.ts";
import { withControlStore } from "../data-directory/open-store.ts";
import { showOrganization } from "../output/show-organization.ts";
import type { Command, CommandInput } from "./command.ts";
import { oneOf, optionalNumber } from "./command-options.ts";

export const orgUpdate: Command = {
  name: "org update",
  usage:
    "ID [--tier T] [--status active|inactive|suspended] [--burst-per-minute N|none] [--monthly-calls N|none] [--optimization-model-v3 on|off]",
  argument: "the organization's id",
  summary: "changes an organization; a running gateway applies it within a second",
  options: {
    tier: { type: "string" },
    status: { type: "string" },
    "burst-per-minute": { type: "string" },
    "monthly-calls": { type: "string" },
    "optimization-model-v3": { type: "string" },
  },
  async run(input) {
    const id = input.argument;
    const tier = oneOf(input, "tier", tierNames);
    const status = oneOf(input, "status", ["active", "inactive", "suspended"]);
    const burst = customLimit(input, "burst-per-minute");
    const monthly = customLimit(input, "monthly-calls");
    const flag = oneOf(input, "optimization-model-v3", ["on", "off"]);
    const change: OrganizationChange = {
      ...(tier === undefined ? {} : { tier }),
      ...(status === undefined ? {} : { status }),
      ...(burst === undefined ? {} : { burst_per_minute: burst }),
      ...(monthly === undefined ? {} : { monthly_calls: monthly }),
      ...(flag === undefined ? {} : { optimization_model_v3: flag === "on" ? 1 : 0 }),
    };
    if (Object.keys(change).length === 0) throw new UsageError("at least one option is required");
    return await withControlStore(
      input.config,
      async store => {
        const current = await requireOrganization(store, id);
        if (
          ((burst ?? null) !== null || (monthly ?? null) !== null) &&
          (tier ?? current.tier) !== "enterprise"
        ) {
          throw new UsageError("custom limits are for enterprise organizations");
        }
        const updated = await store.updateOrganization(id, change);
        if (!updated) throw new UsageError("no organization has that id");
        return {
          value: showOrganization(updated),
          text: `organization ${id}: ${updated.tier}, ${updated.status}`,
        };
      },
      { command: "svc org update" },
    );
  },
};

/** null: `none`, back to the tier's own limit. */
function customLimit(input: CommandInput, name: string): number | null | undefined {
  if (input.options[name] === "none") return null;
  const limit = optionalNumber(input, name);
  if (limit === 0) throw new UsageError(`--${name} must be at least 1; to stop an organization, suspend it`);
  return limit;
}
