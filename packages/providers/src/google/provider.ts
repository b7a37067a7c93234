import type { Provider } from "../provider.ts";
import { decodeAnswer } from "./decode-answer.ts";
import { decodeError } from "./decode-error.ts";
import { decodeStream } from "./decode-stream.ts";
import { embeddings } from "./embeddings.ts";
import { encodeRequest } from "./encode-request.ts";
import { meter } from "./meter.ts";
import { generatesImages } from "./model-traits.ts";

/** Gemini's own API. None of our clients speaks it, so every call is translated. */
export const google: Provider = {
  id: "google",
  baseUrl: "https://generativelanguage.googleapis.com",
  credential: key => ({ "x-goog-api-key": key }),
  forwardedHeaders: [],
  returnedHeaders: ["x-gemini-service-tier", "retry-after", "x-request-id"],
  native: {},
  conversation: {
    encodeRequest,
    decodeAnswer,
    // Google's APIs disagree on the maximum, 64 or 128.
    toolName: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/,
    generatesImages,
    streamDecoder: decodeStream,
    meter,
  },
  embeddings,
  decodeError,
};
