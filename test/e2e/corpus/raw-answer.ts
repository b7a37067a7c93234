/** One provider answer, byte for byte as its API sends it, in both forms. */
export interface RawAnswer {
  readonly plain: string;
  readonly frames: readonly string[];
}

/** OpenAI and xAI: `data:` only, LF. */
export const dataFrame = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;

export const doneFrame = "data: [DONE]\n\n";

/** OpenAI's Responses: the event line repeats the type. */
export const namedFrame = (data: { readonly type: string; readonly [field: string]: unknown }): string =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;

/** Anthropic pads its JSON with a varying number of spaces before the last brace. */
export const paddedFrame = (
  data: { readonly type: string; readonly [field: string]: unknown },
  at: number,
): string => {
  const json = JSON.stringify(data);
  return `event: ${data.type}\ndata: ${json.slice(0, -1)}${" ".repeat((at * 5) % 17)}}\n\n`;
};

/** Google: `data:` only, with CRLF, and no end marker. */
export const crlfFrame = (data: unknown): string => `data: ${JSON.stringify(data)}\r\n\r\n`;
