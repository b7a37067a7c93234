/** One answer of a provider, byte for byte as its API sends it, in both of its forms. */
export interface RawAnswer {
  readonly plain: string;
  readonly frames: readonly string[];
}

/** openai and xai: `data:` alone, LF. */
export const dataFrame = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;

export const doneFrame = "data: [DONE]\n\n";

/** openai's Responses: the event line repeats the type. */
export const namedFrame = (data: { readonly type: string; readonly [field: string]: unknown }): string =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;

/** anthropic pads its JSON with blanks before the last brace, by another number each time. */
export const paddedFrame = (
  data: { readonly type: string; readonly [field: string]: unknown },
  at: number,
): string => {
  const json = JSON.stringify(data);
  return `event: ${data.type}\ndata: ${json.slice(0, -1)}${" ".repeat((at * 5) % 17)}}\n\n`;
};

/** google: `data:` alone, with CRLF, and nothing that marks the end. */
export const crlfFrame = (data: unknown): string => `data: ${JSON.stringify(data)}\r\n\r\n`;
