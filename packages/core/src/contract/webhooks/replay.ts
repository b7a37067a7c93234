import { z } from "zod";
import { isoTimeInput } from "../fields/iso-time.ts";
import { idParams } from "../fields/object-id.ts";
import { operation } from "../operation.ts";

export const webhooksReplay = operation({
  id: "webhooks.replay",
  method: "POST",
  path: "/api/webhooks/:id/replay",
  summary: "Send everything of a time range again, with the same ids and bytes",
  params: idParams,
  body: z.strictObject({
    from: isoTimeInput,
    to: isoTimeInput,
    status: z
      .enum(["delivered", "failed", "cancelled"])
      .optional()
      .meta({ description: "Only what ended so; absent: everything that has ended" }),
  }),
  output: z.strictObject({ replayed: z.int() }),
  status: 200,
  scope: "write",
  role: "admin",
});
