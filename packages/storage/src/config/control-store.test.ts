import { describe, expect, it } from "bun:test";
import { controlDatabases } from "../../../../test/support/labs/control-databases.ts";
import { ControlStore } from "./control-store.ts";

const databases = controlDatabases();

describe("the control store", () => {
  it("OPS-002 control planes that start together create one organization", async () => {
    const place = await databases.place("postgres");
    const stores = [await ControlStore.open(place, "first run"), await ControlStore.open(place, "first run")];
    const created = await Promise.all(
      stores.map(store =>
        store.alone(async () => {
          if (!(await store.isEmpty())) return null;
          return (await store.createOrganization("default", "enterprise", 0)).id;
        }),
      ),
    );
    expect(created.filter(id => id !== null).length).toBe(1);
    await Promise.all(stores.map(store => store.close()));
  });
});
