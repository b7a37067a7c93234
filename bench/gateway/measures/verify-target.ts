import { CHAT_PATH, callBody, streamBody } from "../generator/chat-request.ts";
import type { RunningTarget } from "../targets/target.ts";

/** The fake upstream's usage; a target that quickly answers something else must not win. */
const USAGE = /"total_tokens":\s*176\b/;

async function send(target: RunningTarget, body: string): Promise<string> {
  const response = await fetch(`http://${target.address.hostname}:${target.address.port}${CHAT_PATH}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...target.headers },
    body,
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`the first call was answered with status ${response.status}`);
  return text;
}

export async function verifyCall(target: RunningTarget): Promise<void> {
  if (!USAGE.test(await send(target, callBody))) throw new Error("an answer lost its usage");
}

export async function verifyStream(target: RunningTarget): Promise<void> {
  const stream = await send(target, streamBody);
  if (!stream.includes("[DONE]")) throw new Error("a stream lost its end");
  if (!USAGE.test(stream)) throw new Error("a stream lost its usage");
}
