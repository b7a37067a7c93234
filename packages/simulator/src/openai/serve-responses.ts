import type { JsonObject } from "@tollgate/core/wire/json-fields";
import { answerConversation, type Wire } from "../answer-conversation.ts";
import { bearerKey, type Call } from "../call.ts";
import { listOf, objectOf, textOf } from "../json-object.ts";
import { planAnswer, planRefusal } from "../plan-answer.ts";
import { checkResponsesRequest } from "./check-responses-request.ts";
import type { OpenaiProblem } from "./openai-error.ts";
import { inputItems, readResponsesPrompt } from "./read-responses-prompt.ts";
import { failedFrames, responseFrames } from "./response-frames.ts";
import { createResponseMemory } from "./response-memory.ts";
import { outputItems, outputStatus, type ResponsesHost, responseObject } from "./response-object.ts";

const memory = createResponseMemory(16 * 1024 * 1024);

export interface ResponsesService {
  readonly provider: "openai" | "xai";
  readonly host: ResponsesHost;
  readonly wire: Wire;
  problem(problem: OpenaiProblem): Response;
  /** OpenAI indents its JSON, xAI does not. */
  write(body: unknown): string;
}

export async function createResponse(
  call: Call,
  service: ResponsesService,
  body: JsonObject,
): Promise<Response> {
  const { host, wire } = service;
  const owner = ownerOf(call, service);
  const previous = body.previous_response_id;
  const before = previous == null ? null : memory.recall(owner, textOf(previous));
  if (previous != null && before === null) {
    return service.problem({
      status: 400,
      message: "Previous response not found.",
      type: "invalid_request_error",
      param: "previous_response_id",
      code: "previous_response_not_found",
    });
  }
  const earlier = before ? [...before.input, ...listOf(before.response.output).map(objectOf)] : [];
  const items = [...earlier, ...inputItems(body.input)];
  const problem = checkResponsesRequest(body, items);
  if (problem) return service.problem(problem);

  const model = textOf(body.model);
  const prompt = readResponsesPrompt(body, items, host.effort(model, objectOf(body.reasoning).effort));
  const plan = (refuses: boolean) => (refuses ? planRefusal(prompt) : planAnswer(prompt));
  const whole = (refuses: boolean) => {
    const planned = plan(refuses);
    const output = outputItems(call, host, body, planned);
    return responseObject(call, host, body, { status: outputStatus(planned), output, plan: planned });
  };
  const keep = (refuses: boolean) => {
    if (body.store === false) return;
    memory.remember(owner, host.id("resp", "response"), { response: whole(refuses), input: items });
  };
  return answerConversation(call, wire, {
    userText: prompt.lastUserText,
    stream: body.stream === true,
    whole(refuses) {
      keep(refuses);
      return service.write(whole(refuses));
    },
    frames(refuses) {
      keep(refuses);
      return responseFrames(call, host, body, plan(refuses));
    },
    failureFrames: framesSent => failedFrames(call, host, body, framesSent),
  });
}

/** GET and DELETE of a stored response, and the list of its input items. */
export function storedResponse(call: Call, service: ResponsesService, id: string, part: string): Response {
  const owner = ownerOf(call, service);
  const found = memory.recall(owner, id);
  if (!found) {
    return service.problem({
      status: 404,
      message: "Response not found.",
      type: "invalid_request_error",
      param: null,
      code: null,
    });
  }
  const answer = (body: unknown) =>
    new Response(service.write(body), { headers: service.wire.answerHeaders });
  if (call.method === "DELETE") {
    memory.forget(owner, id);
    return answer({ id, object: "response", deleted: true });
  }
  if (part !== "input_items") return answer(found.response);
  const items = found.input.map((item, at) => listedItem(service.host, item, at)).reverse();
  return answer({
    object: "list",
    data: items,
    first_id: items[0]?.id ?? null,
    last_id: items.at(-1)?.id ?? null,
    has_more: false,
  });
}

/** The list shows every item in its long form, newest first. */
function listedItem(host: ResponsesHost, item: JsonObject, at: number): JsonObject {
  const id = item.id ?? host.id("msg", `input ${at}`);
  if (typeof item.content !== "string") return { ...item, id };
  const kind = item.role === "assistant" ? "output_text" : "input_text";
  return {
    ...item,
    id,
    type: "message",
    status: "completed",
    content: [{ type: kind, text: item.content }],
  };
}

/** The key alone does not tell callers apart: in test mode any will do. */
function ownerOf(call: Call, service: ResponsesService): string {
  return `${service.provider} ${call.account} ${bearerKey(call.headers) ?? ""}`;
}
