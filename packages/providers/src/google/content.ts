/** The part of Gemini's request body that holds the conversation. */
export interface Content {
  readonly role: "user" | "model";
  readonly parts: readonly ContentPart[];
}

export type ContentPart =
  | TextPart
  | InlineDataPart
  | { readonly fileData: { readonly mimeType?: string; readonly fileUri: string } }
  | FunctionCallPart
  | FunctionResponsePart;

interface TextPart {
  readonly text: string;
  /** Only on text that the model generated. */
  readonly thoughtSignature?: string;
}

interface InlineDataPart {
  readonly inlineData: { readonly mimeType: string; readonly data: string };
  /** Only on images that the model generated. */
  readonly thoughtSignature?: string;
}

export interface FunctionCallPart {
  readonly functionCall: {
    readonly name: string;
    readonly id: string;
    readonly args: Readonly<Record<string, unknown>>;
  };
  readonly thoughtSignature?: string;
}

interface FunctionResponsePart {
  readonly functionResponse: {
    readonly name: string;
    readonly id: string;
    readonly response: Readonly<Record<string, unknown>>;
  };
}
