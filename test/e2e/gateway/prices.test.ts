import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { writeFileSync } from "node:fs";
import { pricesList } from "@tollgate/cli/commands/prices-list";
import { readConfig } from "@tollgate/cli/config/config";
import { costOfParts } from "@tollgate/core/pricing/cost";
import { parsePriceOverrides } from "@tollgate/core/pricing/overrides";
import { decodeRateCard } from "@tollgate/core/pricing/rates";
import { isProviderId } from "@tollgate/core/provider-id";
import { callEndpoints, chat, chatModels } from "../../support/clients/call-endpoints.ts";
import { temporaryFolder } from "../../support/labs/temporary-folder.ts";
import { startTestGateway, type TestGateway } from "../../support/labs/test-gateway.ts";
import { type ServedProvider, serveProvider } from "../../support/servers/serve-provider.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const overrides = [
  { provider: "openai", model: "gpt-4o-mini", input_per_million_cents: 1000, output_per_million_cents: 7000 },
  { provider: "openai", model: "house-model", input_per_million_cents: 12.5, output_per_million_cents: 0.5 },
  { provider: "xai", model: "grok-4", input_per_million_cents: 10, output_per_million_cents: 20 },
];

const folder = temporaryFolder();
let gateway: TestGateway;
let served: ServedProvider[];

beforeAll(async () => {
  const [openai, anthropic, google, xai] = (["openai", "anthropic", "google", "xai"] as const).map(id =>
    serveProvider(id, { records: false }),
  );
  if (!openai || !anthropic || !google || !xai) throw new Error("four providers are served");
  served = [openai, anthropic, google, xai];
  gateway = await startTestGateway({
    baseUrls: { openai: openai.url, anthropic: anthropic.url, google: google.url, xai: xai.url },
    priceOverrides: parsePriceOverrides(overrides),
  });
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all(served.map(provider => provider.stop()));
});

interface WireModel {
  readonly id: string;
  readonly object: string;
  readonly created: number;
  readonly owned_by: string;
  readonly pricing: { readonly input_per_million_cents: number; readonly output_per_million_cents: number };
}

async function models(): Promise<WireModel[]> {
  const answer = await fetch(`${gateway.url}/v1/models`, { headers: gateway.headers() });
  expect(answer.status).toBe(200);
  const list = (await answer.json()) as { object: string; data: WireModel[] };
  expect(list.object).toBe("list");
  return list.data;
}

describe("GET /v1/models", () => {
  it("GW-002 lists models of all four providers, with prices that are numbers", async () => {
    const list = await models();
    for (const model of list) {
      expect(Object.keys(model).sort()).toEqual(["created", "id", "object", "owned_by", "pricing"]);
      expect(Object.keys(model.pricing).sort()).toEqual([
        "input_per_million_cents",
        "output_per_million_cents",
      ]);
      expect([model.object, isProviderId(model.owned_by), Number.isInteger(model.created)]).toEqual([
        "model",
        true,
        true,
      ]);
      expect(Number.isFinite(model.pricing.input_per_million_cents)).toBe(true);
      expect(Number.isFinite(model.pricing.output_per_million_cents)).toBe(true);
    }
    expect(new Set(list.map(model => model.owned_by)).size).toBe(4);
    expect(new Set(list.map(model => `${model.owned_by} ${model.id}`)).size).toBe(list.length);
  });

  it("GW-002 returns a single model by its id, even with a slash or a space escaped", async () => {
    const [first] = await models();
    const answer = await fetch(`${gateway.url}/v1/models/${encodeURIComponent(first?.id ?? "")}`, {
      headers: gateway.headers(),
    });
    expect(await answer.json()).toEqual(first);
  });

  it("GW-002 is open to a read-only key, and to a test key", async () => {
    const { key } = await gateway.store.createKey(gateway.orgId, "live", "read", Date.now());
    for (const authorization of [`Bearer ${key}`, `Bearer ${gateway.testKey}`]) {
      expect((await fetch(`${gateway.url}/v1/models`, { headers: { authorization } })).status).toBe(200);
    }
  });
});

describe("SVC_PRICES_FILE", () => {
  it("MON-015 GET /v1/models and `prices list` agree, and the file's prices win in both", async () => {
    const file = folder("prices.json");
    writeFileSync(file, JSON.stringify(overrides));
    const { value } = await pricesList.run({
      config: readConfig({ SVC_PRICES_FILE: file }),
      argument: "",
      options: {},
      note: () => {},
    });
    const wire = (await models()).map(({ id, owned_by, pricing }) => ({
      provider: owned_by,
      model: id,
      ...pricing,
    }));
    expect(value).toEqual(wire);
    for (const override of overrides) expect(wire).toContainEqual(override);
  });

  it("MON-015 MON-002 new calls are charged at list prices: tokens x cents per million / 10", async () => {
    const list = await models();
    for (const [model, body] of [
      ["gpt-4o-mini", chat.body],
      ["house-model", { ...chat.body, model: "house-model" }],
      ["gpt-4.1", { ...chat.body, model: "gpt-4.1" }],
    ] as const) {
      const answer = await gateway.post(chat.path, body, { "x-provider": "openai" });
      expect(answer.status).toBe(200);
      const event = gateway.events().at(-1);
      const pricing = list.find(({ id }) => id === model)?.pricing;
      if (!event || !pricing) throw new Error(`no event or no price of ${model}`);
      expect(Object.keys(event.usage).filter(kind => !["input", "output"].includes(kind))).toEqual([]);
      const exact =
        (event.input_tokens * pricing.input_per_million_cents +
          event.output_tokens * pricing.output_per_million_cents) /
        10;
      expect(Math.abs(event.cost_microcents - exact)).toBeLessThanOrEqual(0.5);
      expect(answer.headers.get("x-gateway-cost")).toBe(String(event.cost_microcents));
    }
  });
});

describe("costs in the ledger", () => {
  it("MON-002 embeddings cost their input only", async () => {
    const { path, body } = callEndpoints[2];
    await gateway.post(path, body);
    const event = gateway.events().at(-1);
    expect(event).toMatchObject({ output_tokens: 0, cost_basis: "priced", usage_source: "provider" });
    expect(event?.input_tokens).toBeGreaterThan(0);
  });

  it("MON-005 MON-009 MON-011 every priced event recomputes from its tokens and the rates of its version", async () => {
    for (const model of Object.values(chatModels)) {
      for (const stream of [false, true]) {
        const answer = await gateway.post(chat.path, { ...chat.body, model, stream });
        expect([model, answer.status]).toEqual([model, 200]);
        await answer.text();
      }
    }
    const events = gateway.events();
    for (const event of events.filter(({ cost_basis }) => cost_basis === "priced")) {
      const card = gateway.reader.rateCard(event.price_version ?? "");
      expect(costOfParts([{ usage: event.usage, card: decodeRateCard(card ?? "") }])).toBe(
        event.cost_microcents,
      );
      expect([event.usage_source, typeof event.served_model]).toEqual(["provider", "string"]);
    }
    // xAI itself states the billed amount.
    expect(new Set(events.filter(event => event.provider === "xai").map(event => event.cost_basis))).toEqual(
      new Set(["reported"]),
    );
    for (const provider of ["openai", "anthropic", "google", "xai"]) {
      const [plain, streamed] = events
        .filter(event => event.provider === provider && event.endpoint === chat.path)
        .slice(-2);
      expect([provider, plain?.stream, streamed?.stream]).toEqual([provider, false, true]);
      expect(`${provider} ${streamed?.cost_microcents}`).toBe(`${provider} ${plain?.cost_microcents}`);
    }
  });

  it("MON-012 a model without a price is recorded with its tokens, cost 0 and `unpriced`; the answer shows no cost", async () => {
    const answer = await gateway.post(chat.path, { ...chat.body, model: "gpt-99-unheard-of" });
    expect([answer.status, answer.headers.get("x-gateway-cost")]).toEqual([200, null]);
    expect(answer.headers.get("x-gateway-latency")).toMatch(/^\d+ms$/);
    const event = gateway.events().at(-1);
    expect(event).toMatchObject({
      cost_microcents: 0,
      cost_basis: "unpriced",
      price_version: null,
      usage_source: "provider",
    });
    expect(event?.input_tokens).toBeGreaterThan(0);
  });

  it("MON-004 REL-005 the total is the exact sum of all events, and `ledger verify` agrees", () => {
    const total = gateway.events().reduce((sum, event) => sum + BigInt(event.cost_microcents), 0n);
    expect(gateway.verify()).toMatchObject({
      ok: true,
      cost_microcents: Number(total),
      differences: [],
      open_intents: 0,
    });
  });
});

describe("prices of an organization", () => {
  it("MON-009 apply to its calls from the moment they are set, before the operator's file, and to no other organization", async () => {
    const body = JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "hi" }] });
    const call = async (headers: Record<string, string>) => {
      const answer = await fetch(`${gateway.url}/v1/chat/completions`, { method: "POST", headers, body });
      expect(answer.status).toBe(200);
      const event = gateway.events().at(-1);
      const text = event?.price_version ? gateway.reader.rateCard(event.price_version) : null;
      if (event === undefined || text === null) throw new Error("the call has no price");
      const card = decodeRateCard(text);
      expect(Number(event.cost_microcents)).toBe(Number(costOfParts([{ usage: event.usage, card }])));
      return card.source;
    };
    expect(await call(gateway.headers())).toBe("file");
    const other = await gateway.store.createOrganization("other", "enterprise", Date.now());
    const { key } = await gateway.store.createKey(other.id, "live", "write", Date.now());
    await gateway.store.database.db
      .insertInto("price_overrides")
      .values({
        id: "price",
        org_id: gateway.orgId,
        provider: "openai",
        model: "gpt-4o-mini",
        prices: JSON.stringify({ input_per_million_cents: 1, output_per_million_cents: 2 }),
        effective_from: Date.now(),
        created_by: "test",
      })
      .execute();
    await eventually("the price applies", async () => (await call(gateway.headers())) === "override");
    expect(await call({ ...gateway.headers(), authorization: `Bearer ${key}` })).toBe("file");
    await gateway.store.database.db.deleteFrom("price_overrides").execute();
    await eventually("the price is removed", async () => (await call(gateway.headers())) === "file");
  });

  it("MON-010 a price set before there was a limit does not fail a call: its cost is unknown", async () => {
    await gateway.store.database.db
      .insertInto("price_overrides")
      .values({
        id: "absurd",
        org_id: gateway.orgId,
        provider: "openai",
        model: "gpt-4o-mini",
        prices: JSON.stringify({ input_per_million_cents: 1, output_per_million_cents: "9".repeat(20) }),
        effective_from: Date.now(),
        created_by: "test",
      })
      .execute();
    const body = JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "hi" }] });
    await eventually("the price applies", async () => {
      const answer = await gateway.post("/v1/chat/completions", body);
      expect(answer.status).toBe(200);
      await answer.text();
      return gateway.events().at(-1)?.cost_basis === "unpriced";
    });
    const event = gateway.events().at(-1);
    expect(event).toMatchObject({ usage_source: "provider", cost_microcents: 0, price_version: null });
    expect(event?.output_tokens).toBeGreaterThan(0);
  });
});
