import { expect, it } from "bun:test";
import { BodyRoom } from "@tollgate/core/wire/body-room";
import { MAX_BODY_BYTES } from "@tollgate/core/wire/request-body";
import { MAX_VALUES, measureBody } from "./parse-body.ts";

it("the longest body with the most values has room on the smallest machine, and one value more is refused", () => {
  const longest = (values: number) =>
    new TextEncoder().encode(`[${"0,".repeat(values - 1)}0]`.padEnd(MAX_BODY_BYTES));
  const { memoryBytes } = measureBody(longest(MAX_VALUES));
  BodyRoom.ofMachine(0).take("organization", memoryBytes);
  expect(memoryBytes).toBeGreaterThan(MAX_BODY_BYTES + MAX_VALUES);
  expect(() => measureBody(longest(MAX_VALUES + 1))).toThrow("more than 500,000 values");
});
