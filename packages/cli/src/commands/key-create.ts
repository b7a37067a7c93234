import { isDemo } from "@tollgate/storage/config/is-demo";
import { requireOrganization } from "../accounts/require-organization.ts";
import { UsageError } from "../config/usage-error.ts";
import { withControlStore } from "../data-directory/open-store.ts";
import type { Command } from "./command.ts";
import { oneOf, requireOption } from "./command-options.ts";

export const keyCreate: Command = {
  name: "key create",
  usage: "--org ID [--test] [--scope read|write]",
  summary: "creates an API key and shows it once",
  options: { org: { type: "string" }, test: { type: "boolean" }, scope: { type: "string" } },
  async run(input) {
    const orgId = requireOption(input, "org");
    const scope = oneOf(input, "scope", ["read", "write"]) ?? "write";
    const mode = input.options.test ? "test" : "live";
    return await withControlStore(
      input.config,
      async store => {
        await requireOrganization(store, orgId);
        if (mode === "live" && (await isDemo(store.database.db, orgId))) {
          throw new UsageError("a demo has test keys only: add --test");
        }
        const created = await store.createKey(orgId, mode, scope, Date.now());
        return {
          value: { ...created, org_id: orgId, mode, scope },
          text: `key ${created.id} (${mode}, ${scope}): ${created.key}\nIt is shown only once.`,
        };
      },
      { command: "svc key create" },
    );
  },
};
