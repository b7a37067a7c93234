import { requireOrganization } from "../accounts/require-organization.ts";
import { withControlStore } from "../data-directory/open-store.ts";
import type { Command } from "./command.ts";
import { requireOption } from "./command-options.ts";

export const keyList: Command = {
  name: "key list",
  usage: "--org ID",
  summary: "lists an organization's API keys by their last four characters",
  options: { org: { type: "string" } },
  async run(input) {
    const orgId = requireOption(input, "org");
    return await withControlStore(input.config, async store => {
      await requireOrganization(store, orgId);
      const keys = (await store.keysOf(orgId)).map(key => ({
        ...key,
        created_at: new Date(key.created_at).toISOString(),
        revoked_at: key.revoked_at === null ? null : new Date(key.revoked_at).toISOString(),
      }));
      const lines = keys.map(
        key =>
          `${key.id}  ${key.mode} ${key.scope.padEnd(5)} …${key.last_four}  by ${key.created_by ?? "unknown"}${key.revoked_at ? "  revoked" : ""}`,
      );
      return { value: keys, text: lines.join("\n") || "no keys" };
    });
  },
};
