/**
 * The fake upstream's answers, in the exact format of a chat completion. Built once: an upstream that serializes for
 * every call would be measured along with the target.
 */

export const CHUNKS_PER_STREAM = 60;

const MODEL = "gpt-4o-mini-2024-07-18";
const ID = "chatcmpl-Bn3hT0l1gA7eFak3Upstr3amAn5w3r";
const CREATED = 1_780_000_000;
const FINGERPRINT = "fp_3b0a1c9d7e";

const USAGE = {
  prompt_tokens: 118,
  completion_tokens: 58,
  total_tokens: 176,
  prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
  completion_tokens_details: {
    reasoning_tokens: 0,
    audio_tokens: 0,
    accepted_prediction_tokens: 0,
    rejected_prediction_tokens: 0,
  },
};

const CONTENT =
  "The invoice was paid twice because the retry did not carry the first attempt's key. Send the same key with every attempt, and refund the second charge.";

const completion = (content: string): string =>
  JSON.stringify({
    id: ID,
    object: "chat.completion",
    created: CREATED,
    model: MODEL,
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content,
          refusal: null,
          annotations: [],
        },
        logprobs: null,
        finish_reason: "stop",
      },
    ],
    usage: USAGE,
    service_tier: "default",
    system_fingerprint: FINGERPRINT,
  });

function wholeAnswer(content: string): Buffer {
  const body = completion(content);
  return Buffer.from(
    `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nx-request-id: req_bench\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

/** The whole answer to a call that does not stream. */
export const completionAnswer = wholeAnswer(CONTENT);

/** An equally long one, so that a verification has two answers to compare. */
export const otherCompletionAnswer = wholeAnswer(CONTENT.replace("twice", "often"));

export const notFoundAnswer = Buffer.from(
  "HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
);

function httpChunk(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
}

function event(choices: readonly unknown[], extra: object): string {
  const chunk = { id: ID, object: "chat.completion.chunk", created: CREATED, model: MODEL };
  const rest = { service_tier: "default", system_fingerprint: FINGERPRINT, choices, ...extra };
  return httpChunk(`data: ${JSON.stringify({ ...chunk, ...rest })}\n\n`);
}

function delta(index: number): { delta: object; finish: string | null } {
  if (index === 0) return { delta: { role: "assistant", content: "", refusal: null }, finish: null };
  if (index === CHUNKS_PER_STREAM - 1) return { delta: {}, finish: "stop" };
  return { delta: { content: ` word${index}` }, finish: null };
}

/**
 * What is written at each tick of one stream. The response head goes with the first chunk; the usage chunk (if
 * requested), the end marker and the last HTTP chunk go with the last one, as providers send them.
 */
function streamWrites(includeUsage: boolean): readonly Buffer[] {
  const extra = includeUsage ? { usage: null } : {};
  const writes = Array.from({ length: CHUNKS_PER_STREAM }, (_, index) => {
    const { delta: content, finish } = delta(index);
    return event([{ index: 0, delta: content, logprobs: null, finish_reason: finish }], extra);
  });
  const head =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nx-request-id: req_bench\r\nTransfer-Encoding: chunked\r\n\r\n";
  const usage = includeUsage ? event([], { usage: USAGE }) : "";
  const end = `${usage}${httpChunk("data: [DONE]\n\n")}0\r\n\r\n`;
  return writes.map((write, index) =>
    Buffer.from(`${index === 0 ? head : ""}${write}${index === CHUNKS_PER_STREAM - 1 ? end : ""}`),
  );
}

export const streamWritesPlain = streamWrites(false);
export const streamWritesWithUsage = streamWrites(true);
