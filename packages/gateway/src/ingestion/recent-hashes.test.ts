import { describe, expect, it } from "bun:test";
import { RecentHashes } from "./recent-hashes.ts";

describe("RecentHashes", () => {
  it("remembers at least the last generation, and forgets in the end", () => {
    const hashes = new RecentHashes(1000);
    for (let at = 0; at < 5000; at++) hashes.add(`id-${at}`);
    for (let at = 4000; at < 5000; at++) expect(hashes.has(`id-${at}`)).toBe(true);
    for (let at = 0; at < 2000; at++) expect(hashes.has(`id-${at}`)).toBe(false);
  });

  it("counts what it already knows once, so that repeats push nothing out", () => {
    const hashes = new RecentHashes(10);
    hashes.add("first");
    for (let at = 0; at < 1000; at++) hashes.add("again");
    expect(hashes.has("first")).toBe(true);
  });

  it("takes half a million without a false answer", () => {
    const hashes = new RecentHashes();
    for (let at = 0; at < 500_000; at++) hashes.add(`org\nlive\nchatcmpl-${at}`);
    expect(hashes.has("org\nlive\nchatcmpl-0")).toBe(true);
    expect(hashes.has("org\nlive\nchatcmpl-499999")).toBe(true);
    let wrong = 0;
    for (let at = 500_000; at < 600_000; at++) if (hashes.has(`org\nlive\nchatcmpl-${at}`)) wrong++;
    expect(wrong).toBe(0);
  });
});
