import { describe, expect, it } from "bun:test";
import { meter } from "./meter.ts";

const web = { web: { uri: "https://example.com", title: "example" } };
const place = { maps: { uri: "https://maps.google.com/?cid=1", title: "A place", placeId: "places/1" } };

/** `modelVersion` is absent if `answered` is null. */
function grounded(answered: string | null, groundingMetadata: object, more: object = {}): object {
  return {
    candidates: [{ content: { parts: [{ text: "x" }] }, finishReason: "STOP", groundingMetadata, ...more }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
    ...(answered !== null && { modelVersion: answered }),
  };
}

/** The same bill, whether the answer is whole or streamed. */
function billOf(asked: string, ...frames: object[]) {
  const streamed = meter(1, asked);
  for (const frame of frames) streamed.readFrame(frame);
  const bill = short(streamed);
  const [only] = frames;
  if (frames.length > 1 || only === undefined) return bill;
  const whole = meter(1, asked);
  whole.readAnswer(only);
  expect(short(whole)).toEqual(bill);
  return bill;
}

function short(metered: ReturnType<typeof meter>) {
  const { usage, served, isBillUncertain = false } = metered.reading();
  return [usage?.web_searches ?? 0, served.searchTool ?? null, isBillUncertain ? "estimated" : "exact"];
}

const queries = (...webSearchQueries: unknown[]) => ({ webSearchQueries });

describe("grounding", () => {
  it.each([
    ["gemini-3.8-flash", ["a", "b", ""], 2],
    ["gemini-3-flash-preview", ["a", "a"], 1],
    ["gemini-3-flash-preview", ["a", "b", "a", "", 7], 2],
    ["gemini-3.8-flash", [], 0],
    ["gemini-2.5-flash", ["a", "b"], 1],
    ["gemini-2.5-flash", [""], 0],
  ])(
    "MON-007 counts the searches of %s for %j as google bills them: unique queries, or prompts",
    (model, listed, searches) => {
      expect(billOf(model, grounded(model, queries(...listed)))).toEqual([searches, null, "exact"]);
    },
  );

  it("MON-005 counts a query once, whether later frames of a stream repeat or continue the list", () => {
    const model = "gemini-3.8-flash";
    const frames = [["a"], ["a", "b"], ["a", "b"], ["c"]].map(listed => grounded(model, queries(...listed)));
    expect(billOf(model, ...frames)).toEqual([3, null, "exact"]);
  });

  it("MON-007 bills an answer that does not name its model as the requested one", () => {
    const metadata = { ...queries("a", "b", "c"), groundingChunks: [web] };
    expect(billOf("gemini-2.5-flash", grounded(null, metadata))).toEqual([1, null, "exact"]);
    expect(billOf("gemini-3-flash-preview", grounded(null, metadata))).toEqual([3, null, "exact"]);
    expect(billOf("gemini-flash-latest", grounded("gemini-2.5-flash", metadata))).toEqual([1, null, "exact"]);
  });

  it("MON-007 bills sources without queries: one prompt, or an unknown number of queries", () => {
    const metadata = { groundingChunks: [web] };
    expect(billOf("gemini-2.5-flash", grounded(null, metadata))).toEqual([1, null, "exact"]);
    expect(billOf("gemini-3.8-flash", grounded(null, metadata))).toEqual([1, null, "estimated"]);
  });

  it("MON-007 does not mistake pages that the request names for search results", () => {
    const pages = { urlContextMetadata: { urlMetadata: [{ retrievedUrl: "https://example.com" }] } };
    const body = grounded(null, { groundingChunks: [web] }, pages);
    for (const model of ["gemini-2.5-flash", "gemini-3.8-flash"])
      expect(billOf(model, body)).toEqual([0, null, "exact"]);
  });

  it("MON-007 tells Google Maps from the web by its sources", () => {
    const maps = { ...queries("restaurants near me"), groundingChunks: [place, place] };
    for (const metadata of [maps, { groundingChunks: [place] }])
      expect(billOf("gemini-2.5-flash", grounded(null, metadata))).toEqual([1, "google_maps", "exact"]);
    expect(billOf("gemini-3.8-flash", grounded(null, maps))).toEqual([1, null, "exact"]);
    const uncounted = grounded(null, { groundingChunks: [place] });
    expect(billOf("gemini-3.8-flash", uncounted)).toEqual([1, null, "estimated"]);
    const both = grounded(null, { ...maps, groundingChunks: [place, web] });
    expect(billOf("gemini-2.5-flash", both)).toEqual([2, null, "estimated"]);
  });

  it("MON-007 counts image searches, whose price nobody publishes, as an estimate", () => {
    const metadata = { ...queries("a"), imageSearchQueries: ["a", "b"] };
    expect(billOf("gemini-3.1-flash-image", grounded(null, metadata))).toEqual([3, null, "estimated"]);
  });
});
