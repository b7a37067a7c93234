import type { eventOperations } from "@tollgate/core/contract/events";
import type { Handlers } from "../kernel/handler.ts";
import { eventsCost } from "./cost.ts";
import { eventsExport } from "./export.ts";
import { eventsGet } from "./get.ts";
import { eventsList } from "./list.ts";

export const eventHandlers: Handlers<typeof eventOperations> = {
  "events.cost": eventsCost,
  "events.export": eventsExport,
  "events.get": eventsGet,
  "events.list": eventsList,
};
