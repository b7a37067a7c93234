import type { Call } from "./call.ts";
import { ConnectionFault } from "./connection-fault.ts";
import { frameStream } from "./frame-stream.ts";
import { findMagicInput } from "./magic-inputs.ts";

export type FailureKind = "rate_limit" | "overload" | "internal";

/** How one provider answers any request. */
export interface Wire {
  readonly answerHeaders: Readonly<Record<string, string>>;
  readonly streamHeaders: Readonly<Record<string, string>>;
  failure(kind: FailureKind): Response;
}

/** One validated request, and its answer in the provider's format. */
export interface Conversation {
  /** Searched for magic inputs. */
  readonly userText: string;
  readonly stream: boolean;
  whole(refuses: boolean): string;
  frames(refuses: boolean): readonly string[];
  /** Frames that end a stream which fails after 200. */
  failureFrames(framesSent: number): readonly string[];
}

export async function answerConversation(
  call: Call,
  wire: Wire,
  conversation: Conversation,
): Promise<Response> {
  const magic = findMagicInput(conversation.userText);
  const stream = (frames: readonly string[], breaksWith?: Error) => {
    const body = frameStream(frames, {
      paceMs: call.paceMs,
      signal: call.signal,
      ...(breaksWith ? { breaksWith } : {}),
    });
    return new Response(body, { headers: wire.streamHeaders });
  };
  switch (magic) {
    case "rate_limit":
    case "overload":
      return wire.failure(magic);
    case "hang":
      return untilAborted(call.signal);
    case "reset": {
      if (!conversation.stream) throw new ConnectionFault("ECONNREFUSED");
      return stream(firstHalf(conversation.frames(false)), new ConnectionFault("ECONNRESET"));
    }
    case "error_after_200": {
      if (!conversation.stream) return wire.failure("internal");
      const sent = firstHalf(conversation.frames(false));
      return stream([...sent, ...conversation.failureFrames(sent.length)]);
    }
    case "refusal":
    case null: {
      const refuses = magic === "refusal";
      if (conversation.stream) return stream(conversation.frames(refuses));
      return new Response(conversation.whole(refuses), { headers: wire.answerHeaders });
    }
  }
}

/** Enough frames to contain text, but never the end. */
function firstHalf(frames: readonly string[]): readonly string[] {
  return frames.slice(0, Math.max(1, Math.floor(frames.length / 2)));
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
