import type { Event } from "@tollgate/core/event";
import { type ProviderId, providerIds } from "@tollgate/core/provider-id";
import { DAY_MS } from "@tollgate/core/time/durations";
import { type RecordedRequest, type ServedProvider, serveProvider } from "../servers/serve-provider.ts";
import { startTestGateway } from "./test-gateway.ts";

export interface SteeredCall {
  readonly path?: string;
  readonly body: unknown;
  readonly agent?: string;
  readonly session?: string;
  readonly headers?: Record<string, string>;
  readonly mode?: "live" | "test";
}

export interface SteeredAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The call's own event; fails if there is none. */
  readonly event: Event;
  /** What the providers received. */
  readonly received: readonly (RecordedRequest & { readonly provider: ProviderId })[];
}

/** A gateway in front of four fake providers, and the configuration rows that it reads. */
export async function startSteeringLab() {
  /** Advanced by `pass`, so that no test has to wait for the gateway's next check. */
  let aheadMs = 0;
  const now = () => Date.now() + aheadMs;
  const fakes: Record<ProviderId, ServedProvider> = {
    openai: serveProvider("openai"),
    anthropic: serveProvider("anthropic"),
    google: serveProvider("google"),
    xai: serveProvider("xai"),
  };
  const gateway = await startTestGateway({
    baseUrls: {
      openai: fakes.openai.url,
      anthropic: fakes.anthropic.url,
      google: fakes.google.url,
      xai: fakes.xai.url,
    },
    now,
  });
  await gateway.store.updateOrganization(gateway.orgId, { burst_per_minute: 1_000_000 });
  const { db } = gateway.store.database;
  const scope = (agent: string, mode: "live" | "test") => ({
    org_id: gateway.orgId,
    mode,
    agent_id: `id-of-${agent}`,
    agent_key: agent,
  });
  const pass = (ms: number) => {
    aheadMs += ms;
  };
  /** The gateway checks every 50 ms. */
  const learn = () => pass(100);
  let agents = 0;

  return {
    gateway,
    fakes,
    db,
    now,
    pass,
    learn,
    newAgent: () => `agent-${agents++}`,

    async apply(
      agent: string,
      optimization_type: "model_switch" | "token_guardrails" | "prompt_caching",
      payload: Record<string, unknown> = {},
      { mode = "live", source = "suggestion" }: { mode?: "live" | "test"; source?: string } = {},
    ): Promise<string> {
      const id = crypto.randomUUID();
      await db
        .insertInto("optimizations")
        .values({
          id,
          ...scope(agent, mode),
          optimization_type,
          payload: JSON.stringify(payload),
          source,
          applied_by: "test",
          applied_at: now(),
          undone_at: null,
        })
        .execute();
      learn();
      return id;
    },

    async undo(id: string): Promise<void> {
      await db.updateTable("optimizations").set({ undone_at: now() }).where("id", "=", id).execute();
      learn();
    },

    async experiment(
      agent: string,
      treatment_model: string,
      { mode = "live", trafficPct = 50 }: { mode?: "live" | "test"; trafficPct?: number } = {},
    ): Promise<string> {
      const id = crypto.randomUUID();
      await db
        .insertInto("experiments")
        .values({
          id,
          ...scope(agent, mode),
          name: "an experiment",
          control_model: null,
          treatment_model,
          traffic_pct: trafficPct,
          primary_metric: "cost_per_call",
          max_duration_days: 14,
          auto_promote: 0,
          status: "running",
          created_at: now(),
          ends_at: now() + 14 * DAY_MS,
          ended_at: null,
          end_reason: null,
          winner: null,
          results: null,
          updated_at: now(),
        })
        .execute();
      learn();
      return id;
    },

    async setStatus(experimentId: string, status: "running" | "paused" | "completed"): Promise<void> {
      await db.updateTable("experiments").set({ status }).where("id", "=", experimentId).execute();
      learn();
    },

    async call(call: SteeredCall): Promise<SteeredAnswer> {
      const before = providerIds.map(provider => fakes[provider].count);
      const answer = await gateway.post(call.path ?? "/v1/chat/completions", call.body, {
        ...(call.mode === "test" && { authorization: `Bearer ${gateway.testKey}` }),
        "x-agent-id": call.agent ?? "nobody-decided-anything",
        ...(call.session !== undefined && { "x-session-id": call.session }),
        ...call.headers,
      });
      const text = await answer.text();
      const id = answer.headers.get("x-gateway-event-id");
      const received = providerIds.flatMap((provider, at) =>
        fakes[provider].requests.slice(before[at]).map(request => ({ ...request, provider })),
      );
      return {
        status: answer.status,
        headers: answer.headers,
        text,
        received,
        get event() {
          const event = gateway.events().find(one => one.id === id);
          if (!event) throw new Error(`no event: ${answer.status} ${text}`);
          return event;
        },
      };
    },

    async stop() {
      await gateway.stop();
      await Promise.all(Object.values(fakes).map(fake => fake.stop()));
    },
  };
}

export type SteeringLab = Awaited<ReturnType<typeof startSteeringLab>>;
