import { z } from "zod";
import { isoTime } from "../fields/iso-time.ts";
import { roles } from "../operation.ts";

export const memberResource = z
  .strictObject({
    id: z.string(),
    email: z.string(),
    role: z.enum(roles),
    status: z.enum(["active", "invited"]),
    created_at: isoTime,
  })
  .meta({ id: "Member" });

/** Of a new member: an address as mail understands it. Addresses are compared in lower case. */
export const memberEmail = z.string().trim().toLowerCase().pipe(z.email().max(320)).meta({ format: "email" });
