import type { Organization } from "@tollgate/storage/config/control-store";

/** An organization as the command line prints it. */
export function showOrganization(organization: Organization) {
  return {
    ...organization,
    optimization_model_v3: organization.optimization_model_v3 === 1,
    created_at: new Date(organization.created_at).toISOString(),
  };
}
