import type { demoOperations } from "@tollgate/core/contract/demo";
import type { Handlers } from "../../kernel/handler.ts";
import { requirePerson } from "../../kernel/require-person.ts";
import { addDemo } from "./add-demo.ts";
import { findDemo } from "./demo-row.ts";
import { removeDemo } from "./remove-demo.ts";
import { toDemo } from "./to-demo.ts";

/** The mode of the session does not matter: sample data is test traffic of its own organization. */
export const demoHandlers: Handlers<typeof demoOperations> = {
  "demo.get": async ({ db, actor, organization }) => {
    requirePerson(actor);
    return toDemo(await findDemo(db, organization.id));
  },

  "demo.add": async context => {
    const { userId, email } = requirePerson(context.actor);
    const asked = { homeOrgId: context.organization.id, by: email, member: { userId, email } };
    return toDemo(await addDemo(context, asked));
  },

  "demo.remove": async context => {
    requirePerson(context.actor);
    await removeDemo(context, context.organization.id);
    return toDemo(null);
  },
};
