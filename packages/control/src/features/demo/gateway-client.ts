import { setTimeout as sleep } from "node:timers/promises";
import { DemoFault } from "./demo-fault.ts";
import type { PlannedCall } from "./plan/plan-calls.ts";
import type { HistoryEvent } from "./plan/plan-history.ts";

/** Sends a request to this installation's gateway. */
export type CallGateway = (path: string, init: RequestInit) => Promise<Response>;

/** Configuration reaches the gateway within a second; on a busy machine it may take longer. */
const KEY_KNOWN_WITHIN_MS = 30_000;
const RETRY_MS = 100;

/** A test key means that no provider is called; the header is required all the same. */
const PROVIDER_KEYS = {
  "x-provider-key": "demo",
  "x-provider-key-openai": "demo",
  "x-provider-key-anthropic": "demo",
  "x-provider-key-google": "demo",
  "x-provider-key-xai": "demo",
};

/** The gateway, as a client with the demo's own test key sees it. */
export class GatewayClient {
  #isKeyKnown = false;

  constructor(
    private readonly callGateway: CallGateway,
    private readonly key: string,
    private readonly signal: AbortSignal,
  ) {}

  /** Reports past calls. An event that was sent before is not counted again. */
  async report(events: readonly HistoryEvent[]): Promise<void> {
    const answer = await this.#post("/v1/events", { events });
    if (!answer.ok) throw new DemoFault(`the gateway answered ${answer.status} to reported calls`);
    const { rejected } = (await answer.json()) as {
      readonly rejected: readonly { readonly error: string }[];
    };
    const [first] = rejected;
    if (first !== undefined) throw new DemoFault(`the gateway rejected a reported call: ${first.error}`);
  }

  /** Resolves with the status, once the answer is complete. */
  async call({ path, agent, session, customer, body }: PlannedCall): Promise<number> {
    const answer = await this.#post(path, body, {
      ...PROVIDER_KEYS,
      "x-agent-id": agent,
      ...(session === null ? {} : { "x-session-id": session }),
      ...(customer === null ? {} : { "x-customer-id": customer }),
    });
    await answer.arrayBuffer();
    return answer.status;
  }

  async #post(
    path: string,
    body: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const init: RequestInit = {
      method: "POST",
      headers: { authorization: `Bearer ${this.key}`, "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
      signal: this.signal,
    };
    for (let waitedMs = 0; ; waitedMs += RETRY_MS) {
      const answer = await this.#reach(path, init);
      const isUnknownKey = answer.status === 401 && !this.#isKeyKnown && waitedMs < KEY_KNOWN_WITHIN_MS;
      if (!isUnknownKey) {
        this.#isKeyKnown ||= answer.ok;
        return answer;
      }
      await answer.body?.cancel();
      await sleep(RETRY_MS, undefined, { signal: this.signal });
    }
  }

  async #reach(path: string, init: RequestInit): Promise<Response> {
    try {
      return await this.callGateway(path, init);
    } catch (cause) {
      if (this.signal.aborted) throw cause;
      throw new DemoFault("the gateway cannot be reached", { cause });
    }
  }
}
