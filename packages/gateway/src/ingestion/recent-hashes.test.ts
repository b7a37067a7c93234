import { describe, expect, it } from "bun:test";
import { RecentHashes } from "./recent-hashes.ts";

describe("RecentHashes", () => {
  it("remembers at least the last generation, and eventually forgets", () => {
    const hashes = new RecentHashes(1000);
    for (let at = 0; at < 5000; at++) hashes.set(`id-${at}`, at);
    for (let at = 4000; at < 5000; at++) expect(hashes.get(`id-${at}`)).toBe(at);
    for (let at = 0; at < 2000; at++) expect(hashes.get(`id-${at}`)).toBeNull();
  });

  it("counts a known entry once, so that repeats evict nothing", () => {
    const hashes = new RecentHashes(10);
    hashes.set("first", 1);
    for (let at = 0; at < 1000; at++) hashes.set("again", at);
    expect(hashes.get("first")).toBe(1);
    expect(hashes.get("again")).toBe(999);
  });

  it("holds half a million entries without a wrong result", () => {
    const hashes = new RecentHashes();
    for (let at = 0; at < 500_000; at++) hashes.set(`org\nlive\nchatcmpl-${at}`, at);
    expect(hashes.get("org\nlive\nchatcmpl-0")).toBe(0);
    expect(hashes.get("org\nlive\nchatcmpl-499999")).toBe(499_999);
    let wrong = 0;
    for (let at = 500_000; at < 600_000; at++) if (hashes.get(`org\nlive\nchatcmpl-${at}`) !== null) wrong++;
    expect(wrong).toBe(0);
  });
});
