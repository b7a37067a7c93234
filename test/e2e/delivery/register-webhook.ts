import { SECRET } from "../../support/labs/delivery-lab.ts";
import type { LabOrganization } from "../../support/labs/experiment-lab.ts";

type Kind = "event.created" | "outcome.confirmed" | "alert.triggered" | "budget.exceeded";

export const registerWebhook = (
  { id, client }: LabOrganization,
  url: string,
  events: Kind[] = ["event.created"],
) => client.call("webhooks.register", { orgId: id, url, events, secret: SECRET });
