import type { ControlSchema } from "@tollgate/storage/database/schema";
import type { Insertable } from "kysely";

/** An active enterprise organization. */
export function organizationRow(
  fields: Partial<Insertable<ControlSchema["organizations"]>> = {},
): Insertable<ControlSchema["organizations"]> {
  return {
    id: "org",
    name: "org",
    tier: "enterprise",
    status: "active",
    burst_per_minute: null,
    monthly_calls: null,
    hash_salt: "00",
    created_at: 0,
    ...fields,
  };
}
