import { expect } from "bun:test";
import type { Event } from "@tollgate/core/event";
import type { TestGateway } from "../../support/labs/test-gateway.ts";

/** Each call has different tokens unless its content is given, so that tests do not match each other's calls. */
let prompts = 0;

export async function call(
  to: TestGateway,
  path = "/v1/chat/completions",
  headers: Record<string, string> = {},
  content = `classify ${"this ".repeat(++prompts)}`,
): Promise<Event> {
  const body =
    path === "/v1/embeddings"
      ? { model: "text-embedding-3-small", input: content }
      : { model: "gpt-4o-mini", messages: [{ role: "user", content }] };
  const answer = await to.post(path, body, headers);
  expect(answer.status).toBe(200);
  await answer.arrayBuffer();
  const id = answer.headers.get("x-gateway-event-id");
  const event = to.events().find(one => one.id === id);
  if (!event) throw new Error("no event");
  return event;
}

export async function newEvents(of: TestGateway, during: () => Promise<unknown>): Promise<Event[]> {
  const before = of.events().length;
  await during();
  return of.events().slice(before);
}
