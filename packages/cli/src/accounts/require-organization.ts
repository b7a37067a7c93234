import type { ControlStore, Organization } from "@tollgate/storage/config/control-store";
import { UsageError } from "../config/usage-error.ts";

export async function requireOrganization(store: ControlStore, id: string): Promise<Organization> {
  const found = await store.findOrganization(id);
  if (!found) throw new UsageError("no organization has that id");
  return found;
}
