import { afterAll, beforeAll, expect, it } from "bun:test";
import { refusal } from "../../support/clients/refusal.ts";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";

let lab: ControlLab;
beforeAll(async () => {
  lab = await startControlLab();
});
afterAll(() => lab.stop());

const price = { provider: "openai", input_per_million_cents: 10, output_per_million_cents: 40 } as const;

it("prices of an organization are set, listed and removed, by itself only", async () => {
  const [ours, theirs] = [await lab.organization(), await lab.organization()];
  const first = await ours.client.call("prices.overrides.set", { ...price, model: "In-House" });
  expect(first).toMatchObject({
    model: "in-house",
    source: "override",
    prices: { input_per_million_cents: 10 },
  });
  const second = await ours.client.call("prices.overrides.set", { ...price, model: "in-house" });
  await ours.client.call("prices.overrides.set", { ...price, model: "another" });
  const models = async () =>
    (await ours.client.call("prices.overrides.list")).overrides.map(({ model }) => model).toSorted();
  expect(await models()).toEqual(["another", "in-house", "in-house"]);
  expect((await theirs.client.call("prices.overrides.list")).overrides).toEqual([]);
  expect((await refusal(theirs.client.call("prices.overrides.remove", { id: second.id }))).status).toBe(404);
  await ours.client.call("prices.overrides.remove", { id: second.id });
  expect(await models()).toEqual(["another"]);
  const bad = ours.client.call("prices.overrides.set", { ...price, model: "m", input_per_million_cents: -1 });
  expect((await refusal(bad)).status).toBe(400);
  const absurd = ours.client.call("prices.overrides.set", {
    ...price,
    model: "m",
    output_per_million_cents: "30864197250000",
  });
  expect(await refusal(absurd)).toMatchObject({
    status: 400,
    message: expect.stringContaining("output_per_million_cents"),
  });
  await ours.client.call("prices.overrides.set", {
    ...price,
    model: "m",
    input_per_million_cents: 10_000_000,
  });
});
