import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { createCatalogue } from "../pricing/catalogue.ts";
import { providerIds } from "../provider-id.ts";
import { type ModelFacts, modelFacts, modelsOf } from "./model-facts.ts";
import { isNotDearer, routeModel } from "./route-model.ts";

const catalogue = createCatalogue();
const day = new Date("2026-11-15T00:00:00Z");
const current = modelsOf(catalogue, {}, day).filter(model => !model.isLegacy);

function known(provider: "openai" | "anthropic", model: string): ModelFacts {
  const facts = modelFacts(catalogue, provider, model, day);
  if (!facts) throw new Error(`${model} is not known`);
  return facts;
}

describe("the model for a task", () => {
  it("OPT-007 names one model each for low, medium and high, never more expensive for the easier task, for any agent", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...providerIds, null),
        fc.array(
          fc.record({ facts: fc.constantFrom(...current), calls: fc.integer({ min: 1, max: 1000 }) }),
          {
            maxLength: 6,
          },
        ),
        (provider, used) => {
          const candidates = current.filter(model => provider === null || model.provider === provider);
          const own = used.filter(({ facts }) => provider === null || facts.provider === provider);
          const route = routeModel(candidates, own);
          if (route === null) throw new Error("no model");
          expect(isNotDearer(route.low, route.medium)).toBe(true);
          expect(isNotDearer(route.medium, route.high)).toBe(true);
        },
      ),
    );
  });

  it("OPT-007 prefers models that the agent uses, otherwise the cheapest of the tier", () => {
    const openai = current.filter(({ provider }) => provider === "openai");
    const own = [{ facts: known("openai", "gpt-4o"), calls: 10 }];
    const route = routeModel(openai, own);
    // gpt-4o ($2.50 and $10.00) is its balanced model; gpt-5.4 is the cheapest frontier model of which neither is less.
    expect(route?.high.id).toBe("gpt-5.4");
    expect(route?.medium.id).toBe("gpt-4o");
    expect(route?.low.id).toBe("gpt-4o-mini");
    const anthropic = current.filter(({ provider }) => provider === "anthropic");
    const opus = routeModel(anthropic, [
      { facts: known("anthropic", "claude-opus-4-5"), calls: 5 },
      { facts: known("anthropic", "claude-sonnet-4-5"), calls: 5 },
    ]);
    expect([opus?.high.id, opus?.medium.id, opus?.low.id]).toEqual([
      "claude-opus-4-5",
      "claude-sonnet-4-5",
      "claude-haiku-5-5",
    ]);
  });

  it("returns nothing without a candidate", () => {
    expect(routeModel([], [])).toBeNull();
  });
});
