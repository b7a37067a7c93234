import { requireOrganization } from "../accounts/require-organization.ts";
import { withControlStore } from "../data-directory/open-store.ts";
import type { Command } from "./command.ts";

export const userList: Command = {
  name: "user list",
  usage: "[--org ID]",
  summary: "lists the members of every organization, or of one, with their e-mail addresses",
  options: { org: { type: "string" } },
  async run(input) {
    const { org } = input.options;
    return await withControlStore(input.config, async store => {
      if (typeof org === "string") await requireOrganization(store, org);
      const members = await store.database.db
        .selectFrom("members")
        .innerJoin("organizations", "organizations.id", "members.org_id")
        .select([
          "members.org_id",
          "organizations.name as organization",
          "members.email",
          "members.role",
          "members.status",
        ])
        .$if(typeof org === "string", query => query.where("members.org_id", "=", String(org)))
        .orderBy("organizations.created_at")
        .orderBy("members.created_at")
        .orderBy("members.id")
        .execute();
      const width = Math.max(0, ...members.map(({ email }) => email.length));
      const lines = members.map(
        ({ org_id, organization, email, role, status }) =>
          `${email.padEnd(width)}  ${role.padEnd(6)} ${status.padEnd(7)}  ${organization} (${org_id})`,
      );
      return { value: members, text: lines.join("\n") || "no members" };
    });
  },
};
