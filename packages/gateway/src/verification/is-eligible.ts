import { isJsonObject, type JsonObject, listOf } from "@tollgate/core/wire/json-fields";
import type { Call } from "../call/call.ts";

/** A longer request is expensive to send twice, and too long to judge. */
const MAX_REQUEST_BYTES = 256 * 1024;

type Asked = Pick<Call, "endpoint" | "steering" | "bytes" | "body" | "summary" | "provider" | "model">;

/** Whether a call can be repeated with another model without side effects, and compared afterwards. */
export function isEligible(call: Asked): boolean {
  const { endpoint, steering, bytes, body, summary, provider, model } = call;
  return (
    endpoint.dialect.id !== "openai-embeddings" &&
    bytes.length <= MAX_REQUEST_BYTES &&
    summary.choices === 1 &&
    // An experiment compares its own calls.
    (steering === null || steering.assignment === null) &&
    !refersToStored(body, bytes) &&
    !(listOf(body.tools) ?? []).some(isProvidersOwn) &&
    !isPresent(body.web_search_options) &&
    !answersInMedia(body) &&
    provider.conversation.generatesImages?.(model) !== true
  );
}

/** State stored at the provider: another one does not have it, and a second call might change it. */
function refersToStored(body: JsonObject, bytes: Uint8Array): boolean {
  return (
    ["previous_response_id", "conversation", "prompt", "container", "mcp_servers", "background"].some(field =>
      isPresent(body[field]),
    ) || Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes('"file_id"')
  );
}

/** A server tool: a search, a sandbox. Client tools are only compared, never run. */
function isProvidersOwn(tool: unknown): boolean {
  return isJsonObject(tool) && isPresent(tool.type) && tool.type !== "function" && tool.type !== "custom";
}

function answersInMedia(body: JsonObject): boolean {
  return isPresent(body.audio) || (listOf(body.modalities) ?? []).some(kind => kind !== "text");
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false;
}
