import { crlfFrame, type RawAnswer } from "./raw-answer.ts";

export interface GoogleAnswer {
  /** null: the answer does not name its model. */
  readonly model: string | null;
  readonly usage: GoogleUsage;
  /** The queries of a grounded answer. */
  readonly queries?: readonly string[];
  /** Where its sources are from. */
  readonly cites?: "web" | "maps";
  readonly says?: "text" | "thoughts" | "tool call" | "nothing";
}

export interface GoogleUsage {
  readonly promptTokenCount: number;
  readonly candidatesTokenCount?: number;
  readonly thoughtsTokenCount?: number;
  readonly totalTokenCount: number;
  readonly [field: string]: unknown;
}

const text = ["Ciao ", "a tutti 🍋"].map(piece => ({ text: piece }));
const thought = { text: "A greeting.", thought: true };
const call = { functionCall: { name: "get_weather", args: { city: "Bern" } }, thoughtSignature: "c2ln" };

const partsOf = {
  text,
  thoughts: [thought, ...text],
  "tool call": [call],
  nothing: [],
} as const satisfies Record<string, readonly object[]>;

/** A Gemini answer. In a stream each chunk is a whole answer, with cumulative counts. */
export function googleAnswer({ model, usage, queries, cites, says = "text" }: GoogleAnswer): RawAnswer {
  const parts: readonly object[] = partsOf[says];
  const common = { ...(model !== null && { modelVersion: model }), responseId: "kT3aZcorpus" };
  const finishReason = says === "nothing" ? "MAX_TOKENS" : "STOP";
  const groundingChunks =
    cites === undefined ? [] : [{ [cites]: { uri: "https://example.com", title: "one" } }];
  const isGrounded = queries !== undefined || cites !== undefined;
  const grounding = isGrounded && {
    groundingMetadata: { ...(queries && { webSearchQueries: queries }), groundingChunks },
  };
  const content = (some: readonly object[]) => ({
    role: "model",
    ...(some.length > 0 && { parts: some }),
  });
  const last = (some: readonly object[]) => ({
    candidates: [{ content: content(some), finishReason, index: 0, ...grounding }],
    usageMetadata: usage,
    ...common,
  });
  const { candidatesTokenCount, totalTokenCount, ...soFar } = usage;
  const early = parts.slice(0, -1).map((part, at) => {
    const candidates = "thought" in part ? 0 : at + 1;
    return {
      candidates: [{ content: content([part]), index: 0 }],
      usageMetadata: {
        ...soFar,
        ...(candidates > 0 && { candidatesTokenCount: candidates }),
        totalTokenCount: totalTokenCount - (candidatesTokenCount ?? 0) + candidates,
      },
      ...common,
    };
  });
  return {
    plain: JSON.stringify(last(parts), null, 2),
    frames: [...early, last(parts.slice(-1))].map(crlfFrame),
  };
}
