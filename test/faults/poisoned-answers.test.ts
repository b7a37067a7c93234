import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { type CallRoute, callRoutes } from "../support/clients/call-routes.ts";
import { type FaultLab, startFaultLab } from "../support/labs/fault-lab.ts";
import { writeAnswer, writeChunk, writeChunkedHead, writeLastChunk } from "../support/servers/http-bytes.ts";
import { eventually } from "../support/waiting/eventually.ts";

/** Values that a provider may send instead of the expected ones. */
const poisons: readonly unknown[] = [
  undefined,
  null,
  "",
  "text",
  -1,
  1.5,
  9_007_199_254_740_991,
  true,
  [],
  [null],
  {},
  { a: { b: [] } },
];

let lab: FaultLab;
beforeAll(async () => {
  lab = await startFaultLab();
});
afterAll(() => lab.stop());

/** The same JSON repeatedly, each time with one value replaced. */
function poisoned(value: unknown): unknown[] {
  const variants: unknown[] = [...poisons];
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) {
      for (const variant of poisoned(item)) variants.push(value.with(at, variant));
    }
  } else if (typeof value === "object" && value !== null) {
    for (const [name, item] of Object.entries(value)) {
      for (const variant of poisoned(item)) variants.push({ ...value, [name]: variant });
    }
  }
  return variants;
}

const stringify = (value: unknown) => JSON.stringify(value) ?? "";

/** Poisons one frame of a stream, wherever its data is. */
function poisonedFrames(frames: readonly string[], at: number): string[][] {
  const frame = frames[at] ?? "";
  const [, before = "", data = ""] = /^([\s\S]*?data: )(.*)\n\n$/.exec(frame) ?? [];
  if (data === "[DONE]") return [];
  return poisoned(JSON.parse(data)).map(variant => frames.with(at, `${before}${stringify(variant)}\n\n`));
}

/** Client and gateway share one process, and with it the limit of 256 open requests. */
const AT_ONCE = 60;

/** Every body is one answer of the provider; the prompt selects it. */
async function askForAll(route: CallRoute, stream: boolean, bodies: readonly string[]): Promise<void> {
  const events = lab.gateway.events().length;
  lab.play(request => {
    const at = Number(/variant (\d+)/.exec(request.body.toString("utf8"))?.[1]);
    const body = bodies[at] ?? "";
    return stream ? [writeChunkedHead(), writeChunk(body), writeLastChunk] : writeAnswer(200, body);
  });
  const ask = async (at: number) => {
    const answer = await lab.call(route, stream, `variant ${at}`);
    const text = await answer.text();
    if (answer.status !== 200 && answer.status !== 502) {
      throw new Error(`${answer.status} ${text} for ${bodies[at]}`);
    }
  };
  for (let from = 0; from < bodies.length; from += AT_ONCE) {
    await Promise.all(bodies.slice(from, from + AT_ONCE).map((_, at) => ask(from + at)));
  }
  await eventually("every call is settled", async () => (await lab.inFlight()) === 0);
  const settled = lab.gateway.events().slice(events);
  expect(settled.length).toBe(bodies.length);
  for (const { status } of settled) expect(["success", "error"]).toContain(status);
  expect(lab.gateway.logged.filter(line => line.includes("unexpected fault"))).toEqual([]);
}

for (const route of callRoutes) {
  describe(`GW-030 GW-032 a malformed answer is forwarded or a 502, never a 500: ${route.name}`, () => {
    it("plain", async () => {
      const bodies = poisoned(JSON.parse(route.wire.plain("text"))).map(stringify);
      await askForAll(route, false, bodies);
    });

    it("streamed", async () => {
      const frames = route.wire.frames(["text"]);
      const bodies = frames.flatMap((_, at) => poisonedFrames(frames, at)).map(body => body.join(""));
      await askForAll(route, true, bodies);
    });
  });
}
