import { homeOrganization } from "../accounts/home-organization.ts";
import { withControlStore } from "../data-directory/open-store.ts";
import type { Command } from "./command.ts";

export const demoRemove: Command = {
  name: "demo remove",
  usage: "[--org ID]",
  summary: "removes the sample data and its organization, also while it is being added",
  options: { org: { type: "string" } },
  async run(input) {
    return await withControlStore(
      input.config,
      async store => {
        const { db, engine } = store.database;
        const { id } = await homeOrganization(store, input.options.org);
        const { removeDemo } = await import("@tollgate/control/features/demo/remove-demo");
        const removed = await removeDemo({ db, engine, now: Date.now }, id);
        return { value: { removed }, text: removed ? "The demo is removed." : "There is no demo." };
      },
      { command: "svc demo remove" },
    );
  },
};
