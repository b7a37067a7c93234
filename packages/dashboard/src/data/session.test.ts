import { expect, it } from "bun:test";
import { permissionsOf } from "./session.tsx";

it("DASH-004 a person may do exactly what the contract allows their role to do", () => {
  expect(permissionsOf("viewer", "pro").can("budgets.list")).toBe(true);
  expect(permissionsOf("viewer", "pro").can("budgets.create")).toBe(false);
  expect(permissionsOf("admin", "pro").can("budgets.create")).toBe(true);
  expect(permissionsOf("admin", "pro").can("organization.update")).toBe(false);
  expect(permissionsOf("owner", "pro").can("organization.update")).toBe(true);
});

it("names the tier that an operation takes", () => {
  expect(permissionsOf("owner", "starter").missingTier("alerts.test")).toBe("lite");
  expect(permissionsOf("owner", "lite").missingTier("alerts.test")).toBeNull();
  expect(permissionsOf("owner", "starter").missingTier("budgets.list")).toBeNull();
});
