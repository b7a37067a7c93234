import { modes } from "@tollgate/core/event";
import { requireOrganization } from "../accounts/require-organization.ts";
import { withControlStore } from "../data-directory/open-store.ts";
import type { Command } from "./command.ts";
import { requireOption } from "./command-options.ts";

export const verificationBalance: Command = {
  name: "verification balance",
  usage: "--org ID",
  summary: "prints how many verifications an organization has left, for live and for test traffic",
  options: { org: { type: "string" } },
  async run(input) {
    return await withControlStore(input.config, async store => {
      const { id: orgId, name } = await requireOrganization(store, requireOption(input, "org"));
      const { readBalance } = await import("@tollgate/control/features/verification/balance");
      const { freeVerifications } = input.config;
      const balances = await Promise.all(
        modes.map(async mode => ({
          mode,
          ...(await readBalance(store.database.db, { orgId, mode }, freeVerifications)),
        })),
      );
      const lines = balances.map(
        ({ mode, balance, granted, charged, reserved }) =>
          `${mode}: ${balance} left (${granted} granted, ${charged} used), ${reserved} of them reserved by verifications under way`,
      );
      return { value: { org_id: orgId, balances }, text: `${name}\n${lines.join("\n")}` };
    });
  },
};
