import { describe, expect, it } from "bun:test";
import { BodyRoom } from "./body-room.ts";
import { RequestBodies } from "./request-bodies.ts";

const bodies = new RequestBodies(60_000, BodyRoom.ofMachine(0));

function requestWith(body: string | ReadableStream, signal?: AbortSignal): Request {
  return new Request("http://gateway/v1/chat/completions", {
    method: "POST",
    body,
    ...(signal && { signal }),
  });
}

describe("a body whose client left", () => {
  it("is refused as client_left, not as invalid JSON, if the connection closes right after it", async () => {
    const client = new AbortController();
    const reading = bodies.read(requestWith("{}", client.signal), "o");
    client.abort();
    expect(await reading.catch(fault => fault)).toMatchObject({ code: "client_left", status: 499 });
  });

  it("is refused as client_left if it is incomplete", async () => {
    const broken = new ReadableStream({ pull: controller => controller.error(new Error("closed")) });
    const reading = bodies.read(requestWith(broken), "o");
    expect(await reading.catch(fault => fault)).toMatchObject({ code: "client_left", status: 499 });
  });
});
