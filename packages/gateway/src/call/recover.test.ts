import { afterAll, describe, expect, it } from "bun:test";
import { createCatalogue } from "@tollgate/core/pricing/catalogue";
import { Ledger } from "@tollgate/storage/ledger/ledger";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { temporaryFolder } from "../../../../test/support/labs/temporary-folder.ts";
import { SAMPLE_DAY, sampleIntent } from "../../../../test/support/rows/sample-event.ts";
import { AnswerPace } from "./answer-pace.ts";
import { recover } from "./recover.ts";

const file = temporaryFolder()("ledger.db");
const opened: { close(): void }[] = [];
afterAll(() => {
  for (const handle of opened) handle.close();
});

describe("a call in flight when the gateway died", () => {
  it("EXP-002 becomes an event of its arm, or of none if it was in no experiment", async () => {
    const dying = new Ledger(file, "normal", () => {});
    await dying.journal(
      sampleIntent("a", { experiment_id: "e", arm: "treatment", requested_model: "gpt-4.1" }),
      null,
    );
    await dying.journal(sampleIntent("b"), null);
    dying.close();
    const ledger = new Ledger(file, "normal", () => {});
    const reader = new LedgerReader(file);
    opened.push(ledger, reader);
    expect(await recover(ledger, { of: () => createCatalogue() }, new AnswerPace(), SAMPLE_DAY)).toBe(2);
    const events = reader.after(0, 10).map(({ event }) => event);
    expect(events).toMatchObject([
      {
        id: "a",
        status: "interrupted",
        experiment_id: "e",
        arm: "treatment",
        model: "gpt-4o-mini",
        requested_model: "gpt-4.1",
      },
      { id: "b", status: "interrupted", experiment_id: null, arm: null },
    ]);
  });

  it("WEB-021 becomes an event of its key; an intent of an older version names none", async () => {
    const file = temporaryFolder()("keyed.db");
    const dying = new Ledger(file, "normal", () => {});
    await dying.journal(sampleIntent("a", { key_id: "key" }), null);
    await dying.journal(sampleIntent("b"), null);
    dying.close();
    const ledger = new Ledger(file, "normal", () => {});
    const reader = new LedgerReader(file);
    opened.push(ledger, reader);
    await recover(ledger, { of: () => createCatalogue() }, new AnswerPace(), SAMPLE_DAY);
    expect(reader.after(0, 10).map(({ event }) => [event.id, event.key_id])).toEqual([
      ["a", "key"],
      ["b", null],
    ]);
  });

  it("ING-011 keeps the span named by its client, so that telemetry finds it after the restart", async () => {
    const file = temporaryFolder()("traced.db");
    const dying = new Ledger(file, "normal", () => {});
    const [traceId, spanId] = ["a".repeat(32), "b".repeat(16)];
    await dying.journal(sampleIntent("a", { traceparent: `00-${traceId}-${spanId}-01` }), null);
    dying.close();
    const ledger = new Ledger(file, "normal", () => {});
    const reader = new LedgerReader(file);
    opened.push(ledger, reader);
    await recover(ledger, { of: () => createCatalogue() }, new AnswerPace(), SAMPLE_DAY);
    expect(reader.after(0, 10)).toMatchObject([
      { event: { status: "interrupted", trace_id: traceId, span_id: spanId, instrumentation: null } },
    ]);
  });

  it("MON-018 is priced at the service tier that it requested", async () => {
    const file = temporaryFolder()("served.db");
    const dying = new Ledger(file, "normal", () => {});
    const fast = { serviceTier: null, speed: "fast", region: null };
    const intent = { provider: "anthropic", model: "claude-opus-4-6", prompt_bytes: 4000 } as const;
    await dying.journal(sampleIntent("a", { ...intent, asked_service: fast }), null);
    await dying.journal(sampleIntent("b", intent), null);
    dying.close();
    const ledger = new Ledger(file, "normal", () => {});
    const reader = new LedgerReader(file);
    opened.push(ledger, reader);
    await recover(ledger, { of: () => createCatalogue() }, new AnswerPace(), SAMPLE_DAY);
    const [asked, list] = reader.after(0, 10).map(({ event }) => event);
    expect(asked?.usage).toEqual(list?.usage as never);
    expect(Number(asked?.cost_microcents)).toBe(6 * Number(list?.cost_microcents));
  });

  it("MON-018 is priced with its files, its audio, and what it may have written to the cache", async () => {
    const file = temporaryFolder()("attached.db");
    const dying = new Ledger(file, "normal", () => {});
    const attached = { prompt_media_tokens: 50_000, prompt_audio_tokens: 300, max_output_tokens: 1 };
    await dying.journal(sampleIntent("a", attached), null);
    const marked = { provider: "anthropic", model: "claude-opus-4-6", max_output_tokens: 1 } as const;
    await dying.journal(sampleIntent("b", { ...marked, prompt_cache_write: "cache_write" }), null);
    dying.close();
    const ledger = new Ledger(file, "normal", () => {});
    const reader = new LedgerReader(file);
    opened.push(ledger, reader);
    await recover(ledger, { of: () => createCatalogue() }, new AnswerPace(), SAMPLE_DAY);
    const usages = reader.after(0, 10).map(({ event }) => event.usage);
    expect(usages[0]).toMatchObject({ input: 50_100, input_audio: 300 });
    expect(usages[1]).toMatchObject({ cache_write: 100 });
  });

  it("keeps the config version that its client sent, if any", async () => {
    const file = temporaryFolder()("versioned.db");
    const dying = new Ledger(file, "normal", () => {});
    await dying.journal(sampleIntent("a", { config_version: "v1 / Zoë" }), null);
    await dying.journal(sampleIntent("b"), null);
    dying.close();
    const ledger = new Ledger(file, "normal", () => {});
    const reader = new LedgerReader(file);
    opened.push(ledger, reader);
    await recover(ledger, { of: () => createCatalogue() }, new AnswerPace(), SAMPLE_DAY);
    expect(reader.after(0, 10).map(({ event }) => event.config_version)).toEqual(["v1 / Zoë", null]);
  });

  it("BUD-022 keeps the rest of its worst case withheld from strict budgets", async () => {
    const file = temporaryFolder()("strict.db");
    const dying = new Ledger(file, "normal", () => {});
    const strict = { id: "b", since: 7 };
    await dying.journal(
      sampleIntent("a", {
        worst_microcents: 1_000_000,
        strict_budgets: [strict],
        budget_flags: ["soft_block:c"],
      }),
      null,
    );
    dying.close();
    const ledger = new Ledger(file, "normal", () => {});
    const reader = new LedgerReader(file);
    opened.push(ledger, reader);
    await recover(ledger, { of: () => createCatalogue() }, new AnswerPace(), SAMPLE_DAY);
    const [event] = reader.after(0, 10).map(row => row.event);
    const rest = 1_000_000 - Number(event?.cost_microcents);
    expect(event?.budget_flags).toEqual(["soft_block:c", `withheld:b@7:${rest}`]);
  });

  it("MON-019 bills what a reasoning model may have written since, for a minute at most", async () => {
    const file = temporaryFolder()("thinking.db");
    const dying = new Ledger(file, "normal", () => {});
    const sent = { model: "o3", max_output_tokens: null, created_at: SAMPLE_DAY };
    await dying.journal(sampleIntent("a", sent), null);
    await dying.journal(sampleIntent("b", { ...sent, max_output_tokens: 3000 }), null);
    await dying.journal(sampleIntent("c", { ...sent, model: "gpt-4o" }), null);
    await dying.journal(sampleIntent("d", { ...sent, model: "gpt-4o", choices: 3 }), null);
    const claude = { ...sent, provider: "anthropic", model: "claude-sonnet-4-6" } as const;
    await dying.journal(sampleIntent("e", claude), null);
    await dying.journal(sampleIntent("f", { ...claude, thinks: true }), null);
    dying.close();
    const ledger = new Ledger(file, "normal", () => {});
    const reader = new LedgerReader(file);
    opened.push(ledger, reader);
    await recover(ledger, { of: () => createCatalogue() }, new AnswerPace(), SAMPLE_DAY + 3_600_000);
    const events = new Map(reader.after(0, 10).map(({ event }) => [event.id, event.output_tokens]));
    expect(Object.fromEntries(events)).toEqual({
      a: 12_000,
      b: 3000,
      c: 1000,
      d: 3000,
      e: 1000,
      f: 12_000,
    });
  });
});
