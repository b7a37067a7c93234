import type { Organization } from "@tollgate/storage/config/control-store";

/** An organization as the command line prints it. */
export function showOrganization(organization: Organization) {
  return { ...organization, created_at: new Date(organization.created_at).toISOString() };
}
