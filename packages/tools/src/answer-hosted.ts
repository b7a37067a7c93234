import { createMcpHandler } from "@modelcontextprotocol/server";
import { fail } from "@tollgate/core/errors";
import { MAX_BODY_BYTES } from "@tollgate/core/wire/request-body";
import { createToolServer, type ToolServerOptions } from "./create-tool-server.ts";

/** A POST whose body was read. */
interface HostedMessage {
  readonly url: string;
  readonly headers: Headers;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/**
 * Answers one request over Streamable HTTP, of the old or the new protocol, with a server created for it. One message per
 * request: a batch of a hundred calls would block everybody else, and the protocol has dropped batches.
 */
export async function answerHosted(message: HostedMessage, options: ToolServerOptions): Promise<Response> {
  const { url, headers, bytes } = message;
  if (isList(bytes)) throw fail("invalid_request", "Send one message at a time: batches are not supported");
  const { fetch: answer } = createMcpHandler(() => createToolServer(options), {
    maxRequestBodySize: MAX_BODY_BYTES,
    // The lists never change, and an open stream would outlive the check of its key.
    maxSubscriptions: 0,
  });
  return await answer(new Request(url, { method: "POST", headers, body: bytes }));
}

const OPENING_BRACKET = 0x5b;
/** White space, and the bytes of a byte order mark, which the protocol library drops when it decodes the message. */
const beforeJson: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]);

function isList(bytes: Uint8Array): boolean {
  return bytes.find(byte => !beforeJson.has(byte)) === OPENING_BRACKET;
}
