import { expect, it } from "bun:test";
import { isTraceparent, spanIdOf, traceIdOf } from "./traceparent.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const SPAN = "b7ad6b7169203331";

for (const [what, text, isValid] of [
  ["a sampled one", `00-${TRACE}-${SPAN}-01`, true],
  ["the flags that Anthropic's client sends", `00-${TRACE}-${SPAN}-03`, true],
  ["a later version of the same length", `01-${TRACE}-${SPAN}-00`, true],
  ["version ff", `ff-${TRACE}-${SPAN}-01`, false],
  ["a trace id of zeros", `00-${"0".repeat(32)}-${SPAN}-01`, false],
  ["a span id of zeros", `00-${TRACE}-${"0".repeat(16)}-01`, false],
  ["upper case", `00-${TRACE.toUpperCase()}-${SPAN}-01`, false],
  ["a part too long", `00-${TRACE}-${SPAN}0-1`, false],
  ["two headers in one", `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`, false],
  ["nothing", "", false],
] as const) {
  it(`${isValid ? "accepts" : "rejects"} ${what}`, () => expect(isTraceparent(text)).toBe(isValid));
}

it("finds its parts", () => {
  expect(traceIdOf(`00-${TRACE}-${SPAN}-01`)).toBe(TRACE);
  expect(spanIdOf(`00-${TRACE}-${SPAN}-01`)).toBe(SPAN);
});
