import type { Role } from "@tollgate/core/contract/operation";

const titles: Readonly<Record<Role, string>> = {
  viewer: "Viewer: can read",
  admin: "Admin: can also change budgets, keys and similar settings",
  owner: "Owner: can also manage members and the organization",
};

export const roleChoices = (Object.keys(titles) as Role[]).map(role => ({
  value: role,
  label: titles[role],
}));
