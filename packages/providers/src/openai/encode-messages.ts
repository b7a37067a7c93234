import { fail } from "@tollgate/core/errors";
import type { AssistantPart, FilePart, ToolResult, Turn, UserPart } from "../canonical/request.ts";

/** Differences between providers that use this format. */
interface MessageStyle {
  /** For error messages. */
  readonly providerName: string;
  readonly systemRole: "system" | "developer";
  /** Whether an assistant's earlier reasoning may be sent back as `reasoning_content`. */
  readonly sendsReasoning: boolean;
  readonly takesAudio: boolean;
  readonly takesPdf: boolean;
}

type Message = Record<string, unknown>;
type ContentPart = Record<string, unknown>;

export function encodeMessages(turns: readonly Turn[], style: MessageStyle): Message[] {
  const messages: Message[] = [];
  // Every call must be answered before any other message, so media wait for the last result.
  let media: ContentPart[] = [];
  const sendMedia = () => {
    if (media.length > 0) messages.push({ role: "user", content: media });
    media = [];
  };
  for (const turn of turns) {
    if (turn.role !== "tool") sendMedia();
    switch (turn.role) {
      case "system":
        messages.push({ role: style.systemRole, content: encodeContent(turn.parts, style) });
        break;
      case "user":
        messages.push({ role: "user", content: encodeContent(turn.parts, style) });
        break;
      case "assistant":
        messages.push(encodeAssistant(turn.parts, style));
        break;
      case "tool":
        for (const result of turn.results) {
          messages.push(encodeToolResult(result, style));
          media.push(...encodeMedia(result, style));
        }
        break;
      default:
        turn satisfies never;
    }
  }
  sendMedia();
  return messages;
}

/** A single text stays a string: every server of this format accepts that, but not every one accepts a list. */
function encodeContent(parts: readonly UserPart[], style: MessageStyle): string | ContentPart[] {
  const [first] = parts;
  if (first === undefined) return "";
  if (parts.length === 1 && first.kind === "text") return first.text;
  return parts.map(part => encodePart(part, style));
}

function encodePart(part: UserPart, style: MessageStyle): ContentPart {
  switch (part.kind) {
    case "text":
      return { type: "text", text: part.text };
    case "image": {
      const { source } = part;
      const url = source.kind === "url" ? source.url : `data:${source.mediaType};base64,${source.data}`;
      return {
        type: "image_url",
        image_url: part.detail === undefined ? { url } : { url, detail: part.detail },
      };
    }
    case "audio":
      if (!style.takesAudio) throw unsupported(style, "audio");
      if (part.format !== "wav" && part.format !== "mp3")
        throw unsupported(style, "audio other than wav and mp3");
      return { type: "input_audio", input_audio: { data: part.data, format: part.format } };
    case "file":
      return encodeFile(part, style);
    default:
      return part satisfies never;
  }
}

function encodeFile(part: FilePart, style: MessageStyle): ContentPart {
  // The gateway never fetches a caller's URL: that would expose its internal network.
  if (part.source.kind === "url") throw unsupported(style, "a file given by its URL");
  if (part.mediaType.startsWith("text/"))
    return { type: "text", text: Buffer.from(part.source.data, "base64").toString("utf8") };
  if (part.mediaType !== "application/pdf" || !style.takesPdf)
    throw unsupported(style, "a file of this media type");
  return {
    type: "file",
    file: {
      filename: part.filename ?? "document.pdf",
      file_data: `data:application/pdf;base64,${part.source.data}`,
    },
  };
}

function encodeAssistant(parts: readonly AssistantPart[], style: MessageStyle): Message {
  let text: string | null = null;
  let refusal: string | null = null;
  let reasoning = "";
  const calls: Message[] = [];
  for (const part of parts) {
    switch (part.kind) {
      case "text":
        text = (text ?? "") + part.text;
        break;
      case "refusal":
        refusal = (refusal ?? "") + part.text;
        break;
      case "reasoning":
        reasoning += part.text;
        break;
      case "redacted_reasoning":
        break; // encrypted for another provider, and only readable by it
      case "generated_image":
        break; // only Google's models generate images, and an assistant's message has none here
      case "tool_call":
        calls.push({
          id: part.id,
          type: "function",
          function: { name: part.name, arguments: part.arguments },
        });
        break;
      default:
        part satisfies never;
    }
  }
  // `content` may be null only beside calls or a refusal.
  const content = text ?? (calls.length > 0 || refusal !== null ? null : "");
  return {
    role: "assistant",
    content,
    ...(style.sendsReasoning && reasoning !== "" && { reasoning_content: reasoning }),
    ...(refusal !== null && { refusal }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

/** A tool message takes only text: images and files of a result follow in a user message. */
function encodeToolResult(result: ToolResult, style: MessageStyle): Message {
  const texts = result.content.filter(isText);
  const isWhole = texts.length === result.content.length;
  const content = isWhole ? texts : [...texts, mediaNote];
  return { role: "tool", tool_call_id: result.callId, content: encodeContent(content, style) };
}

const mediaNote: UserPart = {
  kind: "text",
  text: "The images and files of this result are in the next user message.",
};

function encodeMedia({ callId, content }: ToolResult, style: MessageStyle): ContentPart[] {
  const media = content.filter(part => !isText(part));
  if (media.length === 0) return [];
  const origin = { type: "text", text: `From the result of tool call ${callId}:` };
  return [origin, ...media.map(part => encodePart(part, style))];
}

function isText(part: UserPart): boolean {
  return part.kind === "text" || (part.kind === "file" && part.mediaType.startsWith("text/"));
}

function unsupported(style: MessageStyle, what: string) {
  return fail("unsupported_feature", `${style.providerName} does not accept ${what}`);
}
