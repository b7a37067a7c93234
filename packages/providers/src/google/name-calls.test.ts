import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { nameCalls } from "./name-calls.ts";

const call = (id: string | null, args = "{}") => ({ kind: "call", id, name: "f", arguments: args }) as const;

describe("nameCalls", () => {
  it("keeps google's own id, and derives one from the answer's id if it is missing", () => {
    const nameCall = nameCalls();
    expect([
      nameCall(call("given"), "R-1_x"),
      nameCall(call(null), "R-1_x"),
      nameCall(call(null), "R-1_x"),
    ]).toEqual(["given", "call_R-1_x_1", "call_R-1_x_2"]);
  });

  it("distinguishes calls of different answers without ids", () => {
    expect(nameCalls()(call(null, '{"a":1}'), null)).not.toBe(nameCalls()(call(null, '{"a":2}'), null));
  });

  it("gives the calls of one answer different ids of letters, digits, _ and -, at most 40 characters long", () => {
    fc.assert(
      fc.property(
        fc.option(fc.string()),
        fc.array(fc.option(fc.constantFrom("a", "b")), { maxLength: 50 }),
        (responseId, given) => {
          const nameCall = nameCalls();
          const ids = given.map(id => nameCall(call(id), responseId));
          expect(new Set(ids).size).toBe(ids.length);
          for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{1,40}$/);
        },
      ),
    );
  });
});
