import type { ConversationDialect } from "../../dialect.ts";
import { capOutput } from "./cap-output.ts";
import { decodeRequest } from "./decode-request.ts";
import { encodeAnswer } from "./encode-answer.ts";
import { encodeError } from "./encode-error.ts";
import { AnthropicStreamEncoder } from "./encode-stream.ts";
import { NativeStream } from "./native-stream.ts";
import { summarize } from "./summarize.ts";

/** `POST /v1/messages`, the dialect of Anthropic's clients. */
export const anthropicMessages: ConversationDialect = {
  id: "anthropic-messages",
  summarize,
  prefix({ tools, system }) {
    return tools === undefined && system === undefined ? "" : JSON.stringify([tools ?? null, system ?? null]);
  },
  prepareNative: (body, model) => (body.model === model ? body : { ...body, model }),
  capOutput,
  openNativeStream: meter => new NativeStream(meter),
  encodeError,
  decodeRequest,
  encodeAnswer,
  streamEncoder: summary => new AnthropicStreamEncoder(summary),
};
