import { expect } from "bun:test";
import type { Event } from "@tollgate/core/event";
import { explainEvent } from "@tollgate/storage/read-model/reading/explain-event";
import type { CallRoute } from "../clients/call-routes.ts";
import { expectExplained } from "../expect-explained.ts";
import { type Script, type Step, serveScript } from "../servers/scripted-server.ts";
import { eventually } from "../waiting/eventually.ts";
import { startTestGateway, type TestGatewayOptions } from "./test-gateway.ts";

/** A gateway whose four providers are one raw server, and the checks that must pass after every fault. */
export async function startFaultLab(options: TestGatewayOptions = {}) {
  let current: Script = [];
  const upstream = await serveScript((request, at) =>
    typeof current === "function" ? current(request, at) : current,
  );
  const { url } = upstream;
  const gateway = await startTestGateway({
    // Estimates of cut calls depend on elapsed time: with a stopped clock they are exact on any machine.
    uptimeMs: () => 0,
    ...options,
    baseUrls: { openai: url, anthropic: url, google: url, xai: url, ...options.baseUrls },
  });
  /** The newest event that was checked. */
  let cursor = 0;

  const newEvents = () => {
    const events = gateway.reader.after(cursor, 1000);
    cursor = events.at(-1)?.seq ?? cursor;
    return events.map(({ event }) => event);
  };

  async function atRest(): Promise<void> {
    await eventually("no call is in flight", async () => (await inFlight(gateway.url)) === 0);
    await eventually("no connection to the provider is open", () => openConnections() === 0);
  }

  const openConnections = () => upstream.connections.filter(({ closedAtMs }) => closedAtMs === null).length;

  return {
    gateway,
    upstream,
    openConnections,
    inFlight: () => inFlight(gateway.url),
    /** Sets the provider's behaviour. */
    play(script: Script) {
      current = script;
      newEvents();
    },
    call(route: CallRoute, stream: boolean, prompt = "hello", headers: Record<string, string> = {}) {
      return gateway.post(route.path, route.body(prompt, stream), headers);
    },
    /** A streamed call: the provider continues with `then` once the client has the response head. */
    async callInTwoSteps(route: CallRoute, first: readonly Step[], then: readonly Step[]): Promise<Response> {
      const head = Promise.withResolvers<void>();
      this.play([...first, { do: "until", promise: head.promise }, ...then]);
      const answer = await this.call(route, true);
      head.resolve();
      return answer;
    },
    /** The single event since the last check, once everything is idle. */
    async event(answer?: Response): Promise<Event> {
      await atRest();
      const [event, ...more] = newEvents();
      if (!event) throw new Error("there is no event");
      expect(more).toEqual([]);
      if (answer) expect(answer.headers.get("x-gateway-event-id")).toBe(event.id);
      return event;
    },
    async noEvent(): Promise<void> {
      await atRest();
      expect(newEvents()).toEqual([]);
      expect(gateway.reader.openIntents()).toBe(0);
    },
    /** Everything is idle, and this many calls still wait for their events to be written. */
    async noEventYet(openIntents: number): Promise<void> {
      await atRest();
      expect(newEvents()).toEqual([]);
      expect(gateway.reader.openIntents()).toBe(openIntents);
    },
    /** Recomputes and explains every event of the whole run before it stops. */
    async stop() {
      try {
        expect(gateway.verify()).toMatchObject({ ok: true, open_intents: 0, differences: [] });
        for (const event of gateway.events()) {
          expectExplained(await explainEvent(gateway.store.database.db, gateway.reader, event));
        }
      } finally {
        await gateway.stop();
        await upstream.stop();
      }
    },
  };
}

export type FaultLab = Awaited<ReturnType<typeof startFaultLab>>;

async function inFlight(url: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return Number(/^svc_gateway_in_flight (\d+)$/m.exec(metrics)?.[1]);
}

/** An error from the gateway itself: one message, and no claim that a provider sent it. */
export async function expectOwnError(answer: Response, status: number): Promise<void> {
  expect(answer.status).toBe(status);
  expect(answer.headers.get("x-gateway-error-source")).toBeNull();
  expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
  expect(await answer.json()).toEqual({ error: expect.any(String) });
}

/** A call that was sent and returned nothing is billed at least for its prompt, as an estimate. */
export function expectPromptBilled(event: Event): void {
  expect(event).toMatchObject({ usage_source: "estimated", cost_basis: "estimated" });
  expect(event.usage.input).toBeGreaterThan(0);
  expect(event.cost_microcents).toBeGreaterThan(0);
}

/** The event of a call that the provider refused or never got. */
export const nothingUsed = {
  input_tokens: 0,
  output_tokens: 0,
  usage: {},
  usage_source: "none",
  cost_microcents: 0,
} as const;
