import { TollgateError } from "@tollgate/core/errors";
import { type AgentRules, decideModel, type Target } from "@tollgate/core/steering";
import { boundOutput } from "@tollgate/providers/bound-output";
import type { JsonObject } from "@tollgate/providers/dialect";
import { planExchange } from "@tollgate/providers/exchange";
import { providers } from "@tollgate/providers/registry";
import type { Endpoint, Identified, Parsed, Steering } from "../call/call.ts";
import type { Gateway } from "../gateway.ts";
import { readOtherProviderKey } from "./identify.ts";
import { chooseProvider } from "./route.ts";

/**
 * What applied optimizations and a running experiment make of a call: the model it goes to, how long its answer may
 * be, and what the provider is asked to keep. null: nothing was decided about this agent.
 */
export function steer(
  id: string,
  identified: Identified,
  parsed: Parsed,
  endpoint: Endpoint,
  request: Request,
  gateway: Gateway,
): Steering | null {
  const { caller, agentKey, sessionId } = identified;
  const rules = gateway.directory.rulesOf(caller.orgId, caller.mode).agents.get(agentKey);
  // Vectors of two models cannot be compared: another model would spoil what is stored already.
  if (rules === undefined || endpoint.dialect.id === "openai-embeddings") return null;
  const asked = chooseProvider(parsed.summary.model, request.headers.get("x-provider"), gateway.catalogue);
  const keyFor = (target: Target) =>
    target.provider === asked.provider
      ? identified.providerKey
      : readOtherProviderKey(request.headers, target.provider);
  const shape = (target: Target) => shapeFor(target, asked, rules, parsed, endpoint);
  const reach = (model: string) => {
    const target = orNull(() => chooseProvider(model, null, gateway.catalogue));
    if (target === null || keyFor(target) === null) return null;
    return canServe(shape(target), parsed, endpoint) ? target : null;
  };
  const decision = decideModel(rules, { id, sessionId, asked, at: gateway.now() }, reach);
  return {
    ...shape(decision.target),
    // Only a model whose key is here was reached.
    providerKey: keyFor(decision.target) ?? identified.providerKey,
    assignment: decision.assignment,
    isSwitchSkipped: decision.isSwitchSkipped,
  };
}

type Shape = Pick<Steering, "asked" | "target" | "body" | "summary" | "plan">;

/** The request as it would go to that model. */
function shapeFor(
  target: Target,
  asked: Target,
  rules: AgentRules,
  { body, summary }: Parsed,
  { dialect }: Endpoint,
): Shape {
  const plan = {
    isSwitched: target.model !== asked.model,
    isForeign:
      target.provider !== asked.provider && providers[asked.provider].native[dialect.id] !== undefined,
    cachesPrompt: rules.cachesPrompt,
  };
  const cap = rules.maxOutputTokens;
  const limit = summary.maxOutputTokens;
  if (cap === null || (limit !== null && limit <= cap)) return { asked, target, body, summary, plan };
  const bounded = boundOutput(dialect, providers[target.provider], target.model, body, cap);
  return { asked, target, body: bounded, summary: dialect.summarize(bounded), plan };
}

function canServe(
  { asked, target, body, summary, plan }: Shape,
  parsed: Parsed,
  endpoint: Endpoint,
): boolean {
  const { dialect } = endpoint;
  const provider = providers[target.provider];
  const isElsewhere = target.provider !== asked.provider;
  // In its own dialect a provider can be told anything; a translation may find no words for something.
  if (!isElsewhere && provider.native[dialect.id] !== undefined) return true;
  if (isElsewhere && dialect.id === "openai-responses" && refersToStored(parsed.body)) return false;
  const { model } = target;
  const request = {
    body,
    bytes: parsed.bytes,
    source: parsed.body,
    summary,
    model,
    query: "",
    steered: plan,
  };
  return orNull(() => planExchange(dialect, provider, request)) !== null;
}

/** What lies at one provider, no other has heard of. */
function refersToStored(body: JsonObject): boolean {
  return ["previous_response_id", "conversation", "prompt"].some(
    field => body[field] !== undefined && body[field] !== null,
  );
}

/** null where the gateway itself would refuse, or could not follow how deep it goes. */
function orNull<Value>(attempt: () => Value): Value | null {
  try {
    return attempt();
  } catch (fault) {
    if (fault instanceof TollgateError || fault instanceof RangeError) return null;
    throw fault;
  }
}
