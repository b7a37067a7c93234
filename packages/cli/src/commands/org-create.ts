import { tierNames } from "@tollgate/core/limits/tiers";
import type { ControlStore } from "@tollgate/storage/config/control-store";
import { withControlStore } from "../data-directory/open-store.ts";
import type { Command } from "./command.ts";
import { oneOf, requireOption } from "./command-options.ts";

export const orgCreate: Command = {
  name: "org create",
  usage: "--name N [--tier T]",
  summary: "creates an organization with one live and one test key",
  options: { name: { type: "string" }, tier: { type: "string" } },
  async run(input) {
    const name = requireOption(input, "name");
    const tier = oneOf(input, "tier", tierNames) ?? input.config.defaultTier;
    const create = async (store: ControlStore) => {
      const now = Date.now();
      const { id } = await store.createOrganization(name, tier, now);
      const live_key = (await store.createKey(id, "live", "write", now)).key;
      const test_key = (await store.createKey(id, "test", "write", now)).key;
      return {
        value: { id, name, tier, live_key, test_key },
        text: `organization ${id} (${name}, ${tier})\nlive key: ${live_key}\ntest key: ${test_key}\nThe keys are shown only once.`,
      };
    };
    // This command is also the documented way to continue after control.db was permanently lost.
    return await withControlStore(input.config, create, { creates: true, command: "svc org create" });
  },
};
