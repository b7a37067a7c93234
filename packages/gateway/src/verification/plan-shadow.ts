import { TollgateError } from "@tollgate/core/errors";
import { maxOutputTokens } from "@tollgate/core/models/max-output";
import type { Target } from "@tollgate/core/steering";
import type { JsonObject } from "@tollgate/core/wire/json-fields";
import { boundOutput } from "@tollgate/providers/bound-output";
import { planExchange } from "@tollgate/providers/exchange";
import { providers } from "@tollgate/providers/registry";
import type { Call } from "../call/call.ts";
import type { Routed } from "../request/routed.ts";

/** Enough for a model that is four times as verbose, or that thinks first. */
const WORDIER = 4;
const THINKING_TOKENS = 4096;

/**
 * The same request for another model, or again for the same one. Not streamed, because no client reads it. The answer
 * is limited even if the client's was not, because the worst case is reserved. null: that model cannot serve it.
 */
export function planShadow(call: Call, target: Target, productionTokens: number): Routed | null {
  const { dialect } = call.endpoint;
  const provider = providers[target.provider];
  try {
    const body = bounded(call, target, productionTokens);
    const summary = dialect.summarize(body);
    const exchange = planExchange(dialect, provider, {
      body,
      bytes: call.bytes,
      source: call.source,
      summary,
      model: target.model,
      query: queryOf(call),
      steered: {
        isSwitched: target.model !== call.model,
        isForeign:
          target.provider !== call.provider.id &&
          providers[call.provider.id].native[dialect.id] !== undefined,
        cachesPrompt: false,
      },
    });
    return {
      bytes: call.bytes,
      source: call.source,
      body,
      summary,
      provider,
      model: target.model,
      exchange,
      steering: null,
    };
  } catch (fault) {
    if (fault instanceof TollgateError || fault instanceof RangeError) return null;
    throw fault;
  }
}

function bounded(call: Call, target: Target, productionTokens: number): JsonObject {
  const { dialect } = call.endpoint;
  const body = unstreamed(call);
  if (call.summary.maxOutputTokens !== null) return body;
  const most = maxOutputTokens(target.provider, target.model);
  const tokens = Math.min(most, WORDIER * productionTokens + THINKING_TOKENS);
  return boundOutput(dialect, providers[target.provider], target.model, body, tokens);
}

/** Also prevents storing the answer at the provider, where only a client's own calls belong. */
function unstreamed({ body, endpoint }: Call): JsonObject {
  const { stream: _stream, stream_options: _options, store, ...rest } = body;
  const mayBeStored = endpoint.dialect.id === "openai-responses" || store === true;
  return {
    ...rest,
    ...(body.stream === undefined ? {} : { stream: false }),
    ...(mayBeStored && { store: false }),
  };
}

/** From an exchange in the provider's own dialect; a translated one has none. */
function queryOf({ exchange }: Call): string {
  const at = exchange.upstream.path.indexOf("?");
  return exchange.isNative && at !== -1 ? exchange.upstream.path.slice(at) : "";
}
