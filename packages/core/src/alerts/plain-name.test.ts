import { expect, it } from "bun:test";
import { plainName } from "./plain-name.ts";

it("a user's name cannot change how a sentence reads, nor hide characters in it", () => {
  expect(plainName("wri\u202eter\n\u0007")).toBe("writer");
  expect(plainName("a\nb")).toBe("a b");
  expect(plainName("wri\u115fter\u3164")).toBe("writer");
  expect(plainName("x".repeat(500))).toHaveLength(80);
});
