import type {
  ComparedOutput,
  ComparedRequest,
  ComparedTool,
  ComparedTurn,
} from "@tollgate/core/verification/compared-call";
import type { JsonObject } from "@tollgate/core/wire/json-fields";
import type { CanonicalRequest, OutputFormat, Turn, UserPart } from "../canonical/request.ts";
import type { DialectId } from "../dialect.ts";
import { anthropicMessages } from "../dialects/anthropic-messages/dialect.ts";
import { openaiChat } from "../dialects/openai-chat/dialect.ts";
import { comparedResponsesRequest } from "./compared-responses.ts";

/** A request for graders. Throws for content without an equivalent in other dialects, which cannot be compared. */
export function comparedRequest(dialect: DialectId, body: JsonObject): ComparedRequest {
  switch (dialect) {
    case "openai-chat":
      return fromCanonical(openaiChat.decodeRequest(body));
    case "anthropic-messages":
      return fromCanonical(anthropicMessages.decodeRequest(body));
    case "openai-responses":
      return comparedResponsesRequest(body);
    case "openai-embeddings":
      throw new Error("vectors are not compared");
  }
}

function fromCanonical(request: CanonicalRequest): ComparedRequest {
  return {
    turns: request.turns.map(toTurn),
    tools: (request.tools ?? []).map(({ name, parameters = null }): ComparedTool => ({ name, parameters })),
    toolChoice: request.toolChoice ?? { mode: "auto" },
    output: toOutput(request.outputFormat),
    maxOutputTokens: request.maxOutputTokens ?? null,
  };
}

function toOutput(format: OutputFormat | undefined): ComparedOutput {
  if (format === undefined) return { kind: "text" };
  return format.kind === "json" ? { kind: "json" } : { kind: "schema", schema: format.schema };
}

function toTurn(turn: Turn): ComparedTurn {
  switch (turn.role) {
    case "system":
    case "user":
      return { role: turn.role, text: turn.parts.map(userText).join("\n") };
    case "tool":
      return {
        role: "tool",
        text: turn.results.map(({ content }) => content.map(userText).join("\n")).join("\n"),
      };
    case "assistant":
      return {
        role: "assistant",
        text: turn.parts
          .flatMap(part => {
            if (part.kind === "text" || part.kind === "refusal") return [part.text];
            return part.kind === "tool_call" ? [`[calls ${part.name} with ${part.arguments}]`] : [];
          })
          .join("\n"),
      };
  }
}

function userText(part: UserPart): string {
  return part.kind === "text" ? part.text : `[${part.kind}]`;
}
