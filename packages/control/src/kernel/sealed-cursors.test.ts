import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { SealedCursors } from "./sealed-cursors.ts";

const scope = { orgId: "ours", mode: "live" } as const;
const cursors = new SealedCursors("a secret that is long enough");
const somePlace = fc.record({ at: fc.integer({ min: 0, max: 2 ** 48 - 1 }), seq: fc.maxSafeNat() });

describe("SealedCursors", () => {
  it("opens what it sealed, even after a restart", () => {
    fc.assert(
      fc.property(somePlace, place => {
        const sealed = cursors.seal(scope, "events", place);
        expect(sealed).toHaveLength(22);
        expect(new SealedCursors("a secret that is long enough").open(scope, "events", sealed)).toEqual(
          place,
        );
      }),
    );
  });

  it("opens nothing of another organization, mode, list or secret, and nothing that was changed", () => {
    const sealed = cursors.seal(scope, "events", { at: 1_763_000_000_000, seq: 12 });
    expect(cursors.open({ ...scope, orgId: "theirs" }, "events", sealed)).toBeNull();
    expect(cursors.open({ ...scope, mode: "test" }, "events", sealed)).toBeNull();
    expect(cursors.open(scope, "sessions", sealed)).toBeNull();
    expect(new SealedCursors("another secret").open(scope, "events", sealed)).toBeNull();
    for (const text of [sealed.slice(1), `${sealed}A`, `B${sealed.slice(1)}`, "", "{}", "é".repeat(22)]) {
      expect(cursors.open(scope, "events", text)).toBeNull();
    }
  });

  it("reveals nothing about the distance between two positions", () => {
    const bytes = (seq: number) => Buffer.from(cursors.seal(scope, "live", { at: 0, seq }), "base64url");
    let same = 0;
    for (let seq = 0; seq < 256; seq++) {
      for (const [index, byte] of bytes(seq).entries()) if (byte === bytes(seq + 1)[index]) same++;
    }
    // By chance one byte in 256 is equal: 16 of 4096.
    expect(same).toBeLessThan(64);
  });
});
