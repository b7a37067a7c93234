import type { ConversationDialect } from "../../dialect.ts";
import { capOutput } from "./cap-output.ts";
import { decodeRequest } from "./decode-request.ts";
import { encodeAnswer } from "./encode-answer.ts";
import { encodeError } from "./encode-error.ts";
import { streamEncoder } from "./encode-stream.ts";
import { NativeChatStream } from "./native-stream.ts";
import { prepareNative } from "./prepare-native.ts";
import { prefix, summarize } from "./summarize.ts";

/** `now` is in epoch seconds: for `created`, where the provider gives none. */
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

/** What OpenAI-style clients speak: `POST /v1/chat/completions`. */
export const openaiChat = createOpenaiChat({ now: () => Math.floor(Date.now() / 1000) });
