import { describe, expect, it } from "bun:test";
import { parseIngestedEvent } from "@tollgate/core/ingestion/event";
import { createCatalogue } from "@tollgate/core/pricing/catalogue";
import { isProviderId } from "@tollgate/core/provider-id";
import { DAY_MS, HOUR_MS } from "@tollgate/core/time/durations";
import { agentKeys, UNPRICED_MODEL } from "./fleet.ts";
import { HISTORY_DAYS, type HistoryEvent, planHistory } from "./plan-history.ts";

const nowMs = Date.parse("2026-11-16T09:00:00Z"); // a Monday
const plan = (seed: number) => planHistory({ seed, nowMs, calls: 6000 });
const isFailed = ({ status }: HistoryEvent) => status === "error" || status === "timeout";

it("the same seed gives the same history, another seed another one", () => {
  expect(plan(1)).toEqual(plan(1));
  expect(plan(1).events).not.toEqual(plan(2).events);
});

describe.each([1, 2, 3])("the history of seed %i", seed => {
  const { events, outcomes } = plan(seed);
  const successes = events.filter(({ status }) => status === "success");
  const bySession = Map.groupBy(
    events.filter(event => event.session_id !== undefined),
    event => event.session_id ?? "",
  );

  it("is accepted by ingestion, in order, within the last 30 days and never in the future", () => {
    expect(events.length).toBeGreaterThanOrEqual(6000);
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
    const refused = events.flatMap(event => {
      const parsed = parseIngestedEvent(event, nowMs);
      return "error" in parsed ? [parsed.error] : [];
    });
    expect(refused).toEqual([]);
    const times = events.map(({ timestamp }) => timestamp);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times[0]).toBeGreaterThanOrEqual(nowMs - HISTORY_DAYS * DAY_MS);
    expect(times.at(-1)).toBeLessThan(nowMs);
  });

  it("has sizes over three orders of magnitude, nearly log-normal in the middle", () => {
    const sizes = successes.map(event => event.input_tokens).toSorted((a, b) => a - b);
    const at = (share: number) => sizes[Math.floor(share * (sizes.length - 1))] ?? 0;
    expect(at(0.995) / at(0.005)).toBeGreaterThan(1000);
    // One agent's own messages, without the context that grows: mean and median of the logarithm agree.
    const logs = successes
      .filter(({ agent_key }) => agent_key === "intent-router")
      .map(({ input_tokens }) => Math.log(input_tokens))
      .toSorted((a, b) => a - b);
    const mean = logs.reduce((sum, value) => sum + value, 0) / logs.length;
    expect(Math.abs(mean - (logs[Math.floor(logs.length / 2)] ?? 0))).toBeLessThan(0.15);
  });

  it("has every agent, models of all four providers, and one model without a price", () => {
    expect(new Set<string>(events.map(({ agent_key }) => agent_key))).toEqual(new Set<string>(agentKeys));
    expect(new Set(events.map(({ provider }) => provider))).toEqual(
      new Set(["openai", "anthropic", "google", "xai"]),
    );
    const catalogue = createCatalogue({ overrides: [] });
    const unpriced = events.filter(
      ({ provider, model }) => !isProviderId(provider) || catalogue.find(provider, model) === null,
    );
    expect(new Set(unpriced.map(({ model }) => model))).toEqual(new Set([UNPRICED_MODEL]));
  });

  it("has sessions that agents hand over to each other, and back", () => {
    const handedOver = [...bySession.values()].filter(
      calls => new Set(calls.map(({ agent_key }) => agent_key)).size > 1,
    );
    expect(handedOver.length).toBeGreaterThan(200);
    const hasReturned = handedOver.some(calls => {
      const turns = calls
        .map(({ agent_key }) => agent_key)
        .filter((key, index, all) => key !== all[index - 1]);
      return new Set(turns).size < turns.length;
    });
    expect(hasReturned).toBe(true);
    const customers = [...bySession.values()].map(calls => new Set(calls.map(call => call.customer_id)).size);
    expect(Math.max(...customers)).toBe(1);
  });

  it("has few large customers and many small ones", () => {
    const counts = [
      ...Map.groupBy(
        events.flatMap(event => event.customer_id ?? []),
        id => id,
      ).values(),
    ]
      .map(({ length }) => length)
      .toSorted((a, b) => b - a);
    const all = counts.reduce((sum, count) => sum + count, 0);
    expect(counts.length).toBeGreaterThan(60);
    expect((counts[0] ?? 0) / all).toBeGreaterThan(0.12);
    const largest = counts.slice(0, Math.ceil(counts.length / 5)).reduce((sum, count) => sum + count, 0);
    expect(largest / all).toBeGreaterThan(0.55);
  });

  it("has a daily and a weekly rhythm", () => {
    const reviews = events.filter(({ agent_key }) => agent_key === "code-reviewer");
    const isOffice = ({ timestamp }: HistoryEvent) => {
      const at = new Date(timestamp);
      return at.getUTCHours() >= 8 && at.getUTCHours() < 19;
    };
    // An incident may be at night.
    expect(reviews.filter(isOffice).length / reviews.length).toBeGreaterThan(0.75);
    const isWeekend = ({ timestamp }: HistoryEvent) => [0, 6].includes(new Date(timestamp).getUTCDay());
    const perDay = (of: readonly HistoryEvent[]) =>
      of.length / new Set(of.map(({ timestamp }) => Math.floor(timestamp / DAY_MS))).size;
    const weekend = perDay(events.filter(isWeekend));
    expect(weekend / perDay(events.filter(event => !isWeekend(event)))).toBeLessThan(0.75);
    const hours = new Set(
      events
        .filter(event => event.agent_key === "invoice-extractor" && !isFailed(event))
        .map(({ timestamp }) => new Date(timestamp).getUTCHours()),
    );
    expect(hours.has(2) && hours.has(3)).toBe(true);
  });

  it("has failures in bursts: 429, 500 and timeouts, the last burst within the past hour", () => {
    const failed = events.filter(isFailed);
    expect(failed.length / events.length).toBeGreaterThan(0.02);
    expect(failed.length / events.length).toBeLessThan(0.1);
    const codes = new Set(failed.map(({ error_code }) => error_code));
    for (const code of ["rate_limit_exceeded", "server_error", "provider_timeout"]) {
      expect(codes).toContain(code);
    }
    const busiest = [...Map.groupBy(failed, ({ timestamp }) => Math.floor(timestamp / HOUR_MS)).values()]
      .map(({ length }) => length)
      .toSorted((a, b) => b - a);
    const inBursts = busiest.slice(0, 8).reduce((sum, count) => sum + count, 0);
    // Eight of 720 hours.
    expect(inBursts / failed.length).toBeGreaterThan(0.7);
    const lastHour = events.filter(({ timestamp }) => timestamp >= nowMs - HOUR_MS);
    expect(lastHour.filter(isFailed).length / lastHour.length).toBeGreaterThan(0.25);
  });

  it("has prompt caching, streams, embeddings, reasoning and config versions in turn", () => {
    const read = events.filter(event => (event.cache_read_tokens ?? 0) > 0);
    const written = events.filter(event => (event.cache_write_tokens ?? 0) > 0);
    expect([read.length > 500, written.length > 500]).toEqual([true, true]);
    expect(events.some(({ stream, ttft_ms }) => stream && ttft_ms !== undefined)).toBe(true);
    expect(events.some(({ status }) => status === "cancelled")).toBe(true);
    expect(events.some(({ model }) => model.startsWith("text-embedding"))).toBe(true);
    expect(events.some(({ reasoning_tokens }) => (reasoning_tokens ?? 0) > 0)).toBe(true);
    const versions = events
      .filter(({ agent_key }) => agent_key === "support-agent")
      .flatMap(({ config_version }) => config_version ?? []);
    expect(versions.filter((version, index) => version !== versions[index - 1])).toEqual([
      "support-41",
      "support-42",
      "support-43",
    ]);
  });

  it("has outcomes of known sessions, successes, failures and refunds", () => {
    expect(outcomes.length).toBeGreaterThan(80);
    expect(outcomes.every(({ session_id }) => bySession.has(session_id))).toBe(true);
    expect(outcomes.some(({ success }) => success === false)).toBe(true);
    const revenue = outcomes.filter(({ outcome_type }) => outcome_type === "revenue");
    const refunds = revenue.filter(({ value_cents }) => (value_cents ?? 0) < 0);
    expect([revenue.length > refunds.length, refunds.length > 0]).toEqual([true, true]);
  });

  it("has an agent that has stopped calling", () => {
    const last = events.findLast(({ agent_key }) => agent_key === "meeting-notes")?.timestamp ?? 0;
    expect(nowMs - last).toBeGreaterThan(3 * DAY_MS);
  });
});
