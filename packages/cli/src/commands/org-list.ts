import { withControlStore } from "../data-directory/open-store.ts";
import { showOrganization } from "../output/show-organization.ts";
import type { Command } from "./command.ts";

export const orgList: Command = {
  name: "org list",
  usage: "",
  summary: "lists the organizations",
  options: {},
  async run(input) {
    return await withControlStore(input.config, async store => {
      const organizations = (await store.organizations()).map(showOrganization);
      const lines = organizations.map(
        ({ id, name, tier, status }) => `${id}  ${tier.padEnd(10)} ${status.padEnd(9)} ${name}`,
      );
      return { value: organizations, text: lines.join("\n") || "no organizations yet" };
    });
  },
};
