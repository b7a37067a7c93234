import { eventsCost } from "./cost.ts";
import { eventsExport } from "./export.ts";
import { eventsGet } from "./get.ts";
import { eventsList } from "./list.ts";

export const eventOperations = {
  "events.cost": eventsCost,
  "events.export": eventsExport,
  "events.get": eventsGet,
  "events.list": eventsList,
} as const;
