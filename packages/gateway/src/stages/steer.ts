import { TollgateError } from "@tollgate/core/errors";
import { type AgentRules, decideModel, type Target } from "@tollgate/core/steering";
import type { JsonObject } from "@tollgate/core/wire/json-fields";
import { boundOutput } from "@tollgate/providers/bound-output";
import { type Exchange, planExchange, type SteeredPlan } from "@tollgate/providers/exchange";
import { providers } from "@tollgate/providers/registry";
import type { Gateway } from "../gateway.ts";
import { chooseProvider, findTarget } from "../request/choose-provider.ts";
import { readOtherProviderKey } from "../request/provider-keys.ts";
import type { Endpoint, Identified, Parsed, Routed } from "../request/routed.ts";
import { queryFor } from "../request/split-url.ts";

/**
 * Applies an agent's optimizations and its running experiment to a call: the model, the maximum output, and what the
 * provider is asked to cache. null: the agent has no rules.
 */
export function steer(
  id: string,
  identified: Identified,
  parsed: Parsed,
  endpoint: Endpoint,
  request: Request,
  gateway: Gateway,
): Routed | null {
  const { caller, agentKey, sessionId } = identified;
  const rules = gateway.directory.rulesOf(caller.orgId, caller.mode).agents.get(agentKey);
  // Embeddings of two models are not comparable: another model would corrupt the client's stored vectors.
  if (rules === undefined || endpoint.dialect.id === "openai-embeddings") return null;
  const asked = chooseProvider(parsed.summary.model, request.headers, gateway.catalogue);
  const keyFor = (target: Target) =>
    target.provider === asked.provider
      ? identified.providerKey
      : readOtherProviderKey(request.headers, target.provider);
  const plans = new Plans(asked, rules, parsed, endpoint, queryFor(endpoint, request));
  const reach = (model: string) => {
    const target = findTarget(model, null, gateway.catalogue);
    if (target instanceof TollgateError || keyFor(target) === null) return null;
    return plans.canServe(target) ? target : null;
  };
  const decision = decideModel(rules, { id, sessionId, asked, atMs: gateway.now() }, reach);
  const { target } = decision;
  const { body, summary, steered, exchange } = plans.require(target);
  return {
    bytes: parsed.bytes,
    source: parsed.body,
    body,
    summary,
    provider: providers[target.provider],
    model: target.model,
    exchange,
    steering: {
      asked,
      // `reach` accepted only models whose key was sent.
      providerKey: keyFor(target) ?? identified.providerKey,
      plan: steered,
      assignment: decision.assignment,
      isSwitchSkipped: decision.isSwitchSkipped,
    },
  };
}

/** The request as sent to one target. */
interface Plan extends Pick<Parsed, "body" | "summary"> {
  readonly steered: SteeredPlan;
  readonly exchange: Exchange;
}

/** Why the request cannot be sent there: no translation, or nested too deeply to translate. */
interface Unservable {
  readonly fault: TollgateError | RangeError;
}

/** Plans a call for its possible targets, each at most once. */
class Plans {
  readonly #planned: { readonly target: Target; readonly plan: Plan | Unservable }[] = [];

  constructor(
    private readonly asked: Target,
    private readonly rules: AgentRules,
    private readonly parsed: Parsed,
    private readonly endpoint: Endpoint,
    private readonly query: string,
  ) {}

  canServe(target: Target): boolean {
    const isElsewhere = target.provider !== this.asked.provider;
    const isResponse = this.endpoint.dialect.id === "openai-responses";
    if (isElsewhere && isResponse && refersToStored(this.parsed.body)) return false;
    return !("fault" in this.#planFor(target));
  }

  /** Throws if the gateway refuses the call. */
  require(target: Target): Plan {
    const plan = this.#planFor(target);
    if ("fault" in plan) throw plan.fault;
    return plan;
  }

  #planFor(target: Target): Plan | Unservable {
    const known = this.#planned.find(
      ({ target: { provider, model } }) => provider === target.provider && model === target.model,
    );
    if (known !== undefined) return known.plan;
    const plan = this.#plan(target);
    this.#planned.push({ target, plan });
    return plan;
  }

  #plan(target: Target): Plan | Unservable {
    const { bytes, body: source } = this.parsed;
    const { model } = target;
    const { dialect } = this.endpoint;
    try {
      const { body, summary } = this.#bounded(target);
      const steered = this.#steeredPlan(target);
      const request = { body, bytes, source, summary, model, query: this.query, steered };
      return { body, summary, steered, exchange: planExchange(dialect, providers[target.provider], request) };
    } catch (fault) {
      if (fault instanceof TollgateError || fault instanceof RangeError) return { fault };
      throw fault;
    }
  }

  #steeredPlan({ provider, model }: Target): SteeredPlan {
    const { asked } = this;
    return {
      isSwitched: model !== asked.model,
      isForeign:
        provider !== asked.provider &&
        providers[asked.provider].native[this.endpoint.dialect.id] !== undefined,
      cachesPrompt: this.rules.cachesPrompt,
    };
  }

  #bounded(target: Target): Pick<Parsed, "body" | "summary"> {
    const { body, summary } = this.parsed;
    const cap = this.rules.maxOutputTokens;
    const limit = summary.maxOutputTokens;
    if (cap === null || (limit !== null && limit <= cap)) return this.parsed;
    const { dialect } = this.endpoint;
    const bounded = boundOutput(dialect, providers[target.provider], target.model, body, cap);
    return { body: bounded, summary: dialect.summarize(bounded) };
  }
}

/** Only the provider that stored these knows them. */
function refersToStored(body: JsonObject): boolean {
  return ["previous_response_id", "conversation", "prompt"].some(
    field => body[field] !== undefined && body[field] !== null,
  );
}
