import { z } from "zod";
import { isoTime } from "./fields/iso-time.ts";
import { declareOperations } from "./operation.ts";

/** What adding the demo consists of, in this order. */
export const demoSteps = [
  "history",
  "outcomes",
  "runaway_loop",
  "experiment",
  "verifications",
  "conclusions",
] as const;

const demoResource = z
  .strictObject({
    status: z.enum(["none", "adding", "ready", "failed"]),
    organization: z.strictObject({ id: z.string(), name: z.string() }).nullable().meta({
      description: "The organization with the sample data, all of it test traffic; null: there is none",
    }),
    progress: z
      .strictObject({
        step: z.enum(demoSteps).nullable().meta({ description: "Null: not begun, or finished" }),
        done_calls: z.int(),
        total_calls: z.int().meta({ description: "An estimate until it is ready" }),
      })
      .nullable(),
    error: z.string().nullable().meta({ description: "Why adding it failed" }),
    created_by: z.string().nullable(),
    created_at: isoTime.nullable(),
    finished_at: isoTime.nullable(),
  })
  .meta({ id: "Demo", description: "Sample data of the caller's organization" });

/** For people only: the person who adds it becomes an owner of the new organization. */
const access = { role: "admin", isForPeople: true } as const;

export const demoOperations = declareOperations({
  "demo.get": {
    method: "GET",
    path: "/api/demo",
    summary: "Whether there is sample data, and the progress of adding it",
    output: demoResource,
    scope: "read",
    ...access,
  },
  "demo.add": {
    method: "POST",
    path: "/api/demo",
    summary: "Add sample data in a separate organization and join it; if that already exists, only join it",
    output: demoResource,
    status: 202,
    scope: "write",
    ...access,
  },
  "demo.remove": {
    method: "DELETE",
    path: "/api/demo",
    summary: "Remove the sample data and its organization, also while it is being added",
    output: demoResource,
    scope: "write",
    ...access,
  },
});
