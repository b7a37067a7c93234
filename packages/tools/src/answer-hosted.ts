import { createMcpHandler } from "@modelcontextprotocol/server";
import { createToolServer, type ToolServerOptions } from "./create-tool-server.ts";

/** No tool takes more than a fraction of it. */
const MAX_BODY_BYTES = 1_048_576;

/** One request over Streamable HTTP, of the old protocol or the new, answered by a server of its own. */
export async function answerHosted(request: Request, options: ToolServerOptions): Promise<Response> {
  const { fetch: answer } = createMcpHandler(() => createToolServer(options), {
    maxRequestBodySize: MAX_BODY_BYTES,
    // Nothing changes that could be listened for; an open stream would outlive the check of its key.
    maxSubscriptions: 0,
  });
  return await answer(request);
}
