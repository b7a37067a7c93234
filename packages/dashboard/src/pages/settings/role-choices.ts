import type { Role } from "@tollgate/core/contract/operation";

const titles: Readonly<Record<Role, string>> = {
  viewer: "Viewer: reads",
  admin: "Admin: also changes budgets, keys and the like",
  owner: "Owner: also manages members and the organization",
};

export const roleChoices = (Object.keys(titles) as Role[]).map(role => ({
  value: role,
  label: titles[role],
}));
