import { fail } from "@tollgate/core/errors";
import { cleanText } from "@tollgate/core/wire/clean-text";
import { plainIssues, REQUIRED } from "@tollgate/core/wire/plain-issues";
import type { z } from "zod";

const MAX_SENTENCES = 5;

/** Validates what a model sent, or throws a 400 that names every invalid argument. */
export function parseArguments<I extends z.ZodObject>(schema: I, sent: unknown): z.output<I> {
  const parsed = schema.safeParse(sent ?? {}, plainIssues);
  if (parsed.success) return parsed.data;
  const sentences = new Set(parsed.error.issues.flatMap(sentencesOf));
  throw fail("invalid_request", [...sentences].slice(0, MAX_SENTENCES).join("; "));
}

function sentencesOf(issue: z.core.$ZodIssue): string[] {
  if (issue.code === "unrecognized_keys") return issue.keys.map(key => `${shown(key)} is not a parameter`);
  const name = shown(issue.path.map(String).join("."));
  if (issue.message === REQUIRED) return [`${name} is required`];
  return [
    `${name === "" ? "arguments" : name}: ${issue.message.charAt(0).toLowerCase()}${issue.message.slice(1)}`,
  ];
}

function shown(name: string): string {
  return cleanText(name, 100);
}
