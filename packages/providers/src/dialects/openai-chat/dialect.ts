import type { ConversationDialect } from "../../dialect.ts";
import { capOutput } from "./cap-output.ts";
import { decodeRequest } from "./decode-request.ts";
import { encodeAnswer } from "./encode-answer.ts";
import { encodeError } from "./encode-error.ts";
import { streamEncoder } from "./encode-stream.ts";
import { NativeChatStream } from "./native-stream.ts";
import { prepareNative } from "./prepare-native.ts";
import { prefix, summarize } from "./summarize.ts";

/** `now`, in epoch seconds, is used for `created` if the provider states none. */
export function createOpenaiChat({ now }: { readonly now: () => number }): ConversationDialect {
  return {
    id: "openai-chat",
    summarize,
    prefix,
    prepareNative,
    capOutput,
    openNativeStream: (meter, summary) => new NativeChatStream(meter, summary),
    encodeError,
    decodeRequest,
    encodeAnswer: (answer, usage) => encodeAnswer(answer, usage, now()),
    streamEncoder: summary => streamEncoder(summary, now()),
  };
}

/** `POST /v1/chat/completions`, the dialect of OpenAI-style clients. */
export const openaiChat = createOpenaiChat({ now: () => Math.floor(Date.now() / 1000) });
