import { UsageError } from "../config/usage-error.ts";
import { withControlStore } from "../data-directory/open-store.ts";
import type { Command } from "./command.ts";

export const keyRevoke: Command = {
  name: "key revoke",
  usage: "ID",
  argument: "the key's id",
  summary: "revokes an API key; a running gateway refuses it within a second",
  options: {},
  async run(input) {
    const id = input.argument;
    return await withControlStore(
      input.config,
      async store => {
        if (!(await store.revokeKey(id, Date.now()))) throw new UsageError("no key has that id");
        return { value: { id, revoked: true }, text: `key ${id} is revoked` };
      },
      { command: "svc key revoke" },
    );
  },
};
