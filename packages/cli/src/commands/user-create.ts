import { requireOrganization } from "../accounts/require-organization.ts";
import { UsageError } from "../config/usage-error.ts";
import { withControlStore } from "../data-directory/open-store.ts";
import type { Command } from "./command.ts";
import { oneOf, optionalEmail, requireOption } from "./command-options.ts";

export const userCreate: Command = {
  name: "user create",
  usage: "--org ID --email E [--role owner|admin|viewer]",
  summary: "adds a member (the first one as owner, others as admins) and prints a one-time sign-in link",
  options: { org: { type: "string" }, email: { type: "string" }, role: { type: "string" } },
  async run(input) {
    const orgId = requireOption(input, "org");
    const email = optionalEmail(input, "email");
    if (email === undefined) throw new UsageError("--email is required");
    const wanted = oneOf(input, "role", ["owner", "admin", "viewer"]) ?? null;
    return await withControlStore(
      input.config,
      async store => {
        await requireOrganization(store, orgId);
        const { invite } = await import("../accounts/invite.ts");
        const user = { orgId, email, role: wanted };
        const { role, signInLink: sign_in_url } = await invite(input.config, store.database, user);
        const how = sign_in_url
          ? `Open this link, which works once, to sign in and choose a password:\n${sign_in_url}`
          : "They sign in at your identity provider with this e-mail address.";
        return {
          value: { org_id: orgId, email, role, sign_in_url },
          text: `${email} is ${role} of the organization.\n${how}`,
        };
      },
      { command: "svc user create" },
    );
  },
};
