import { UsageError } from "../config/usage-error.ts";
import { withControlStore } from "../data-directory/open-store.ts";
import type { Command } from "./command.ts";

export const userLink: Command = {
  name: "user link",
  usage: "EMAIL [--org ID]",
  argument: "the member's e-mail address",
  summary: "prints a sign-in link for a member who lost their password; using it ends the old password",
  options: { org: { type: "string" } },
  async run(input) {
    const email = input.argument.toLowerCase();
    return await withControlStore(
      input.config,
      async store => {
        // Loaded here: the libraries for accounts take longer to load than all other commands together.
        const { createSignInLink } = await import("@tollgate/control/features/auth/create-sign-in-link");
        const { openIdentity } = await import("../accounts/open-identity.ts");
        const identity = await openIdentity(input.config, store.database);
        if (!identity.accounts.external && (await identity.accounts.findByEmail(email)) === null) {
          throw new UsageError("no account has that e-mail address: `user list` shows them all");
        }
        const { org } = input.options;
        // The same address may belong to different accounts in two organizations.
        const sign_in_url = await createSignInLink(
          identity,
          email,
          typeof org === "string" ? { orgId: org } : {},
        );
        return {
          value: { email, sign_in_url },
          text: `One-time link for ${email}, valid for one day:\n${sign_in_url}`,
        };
      },
      { command: "svc user link" },
    );
  },
};
