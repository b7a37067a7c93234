import { z } from "zod";
import { isoTime } from "../fields/iso-time.ts";

/** A key as it can always be shown: by its last four characters. */
export const keyResource = z
  .strictObject({
    id: z.string(),
    name: z.string().nullable(),
    mode: z.enum(["live", "test"]),
    scope: z.enum(["read", "write"]),
    last_four: z.string(),
    created_by: z.string().nullable().meta({
      description:
        "The e-mail address of the member who made it, or `cli`; null: made before it was recorded. A key that was made with another key has that one's.",
    }),
    created_at: isoTime,
    revoked_at: isoTime.nullable(),
  })
  .meta({ id: "ApiKey" });
