import type { ControlStore, Organization } from "@tollgate/storage/config/control-store";
import { UsageError } from "../config/usage-error.ts";
import { requireOrganization } from "./require-organization.ts";

/** The organization that a demo belongs to: the given one, otherwise the oldest. */
export async function homeOrganization(
  store: ControlStore,
  given: string | boolean | undefined,
): Promise<Organization> {
  if (typeof given === "string") return await requireOrganization(store, given);
  const [oldest] = await store.organizations();
  if (oldest === undefined) throw new UsageError("there is no organization yet: `org create` creates one");
  return oldest;
}
