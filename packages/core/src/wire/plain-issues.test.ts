import { describe, expect, it } from "bun:test";
import { z } from "zod";
import { plainIssues } from "./plain-issues.ts";

function messageOf(schema: z.ZodType, value: unknown): string | undefined {
  return schema.safeParse(value, plainIssues).error?.issues[0]?.message;
}

describe("plainIssues", () => {
  it.each<[string, z.ZodType, unknown, string]>([
    ["a fraction", z.int(), 1.5, "must be a whole number"],
    ["a text for a number", z.int(), "1", "must be a number"],
    ["a number for a text", z.string(), 1, "must be text"],
    ["a text for a boolean", z.boolean(), "yes", "must be true or false"],
    ["a list for an object", z.strictObject({}), [], "must be an object"],
    ["an object for a list", z.array(z.string()), {}, "must be a list"],
    ["nothing", z.string(), undefined, "is required"],
    ["nothing for a union", z.union([z.string(), z.number()]), undefined, "is required"],
    ["an empty text", z.string().min(1), "", "must not be empty"],
    ["an empty list", z.array(z.string()).min(1), [], "must not be empty"],
    ["a short text", z.string().min(16), "x", "must be at least 16 characters"],
    ["a long text", z.string().max(1), "xy", "must be at most 1 character"],
    ["a text of another length", z.string().length(4), "xy", "must be exactly 4 characters"],
    ["a long list", z.array(z.int()).max(2), [1, 2, 3], "must have at most 2 items"],
    ["a small number", z.int().min(1), 0, "must be at least 1"],
    ["a large number", z.number().max(0.5), 1, "must be at most 0.5"],
    ["a number at an open bound", z.number().positive(), 0, "must be more than 0"],
    ["a number below which is open", z.number().lt(3), 3, "must be less than 3"],
    ["another choice", z.enum(["live", "test"]), "both", "must be one of live, test"],
    ["another value", z.literal(1), 2, "must be 1"],
    ["an unknown field", z.strictObject({}), { foo: 1 }, "unknown field: foo"],
    ["two unknown fields", z.strictObject({}), { foo: 1, bar: 2 }, "unknown fields: foo, bar"],
    ["no e-mail address", z.email(), "ada", "must be an e-mail address"],
    ["no day", z.iso.date(), "2026-02-30", "must be a day such as 2026-01-31"],
    ["another pattern", z.string().regex(/^a/), "secret", "does not have the expected format"],
    ["none of a union", z.union([z.string(), z.number()]), true, "is not valid"],
  ])("describes what is wrong with %s", (_, schema, value, message) => {
    expect(messageOf(schema, value)).toBe(message);
  });

  it("keeps the message that a schema states", () => {
    expect(messageOf(z.string("must be a name"), 1)).toBe("must be a name");
  });
});
