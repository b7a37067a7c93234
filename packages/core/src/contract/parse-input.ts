import { z } from "zod";
import { fail, type TollgateError } from "../errors.ts";
import { plainIssues, REQUIRED } from "../wire/plain-issues.ts";
import type { AnyOperation } from "./operation.ts";
import type { InputParts } from "./split-input.ts";

const MAX_SENTENCES = 5;

type Issue = z.core.$ZodIssue;

const nothing = z.strictObject({});
const anything = z.looseObject({});

/** Checks what was sent against the operation: one flat record of trusted values, or a 400 that names the fields. */
export function parseInput(operation: AnyOperation, parts: InputParts): Record<string, unknown> {
  const issues: Issue[] = [];
  const input: Record<string, unknown> = {};
  for (const part of ["params", "query", "body"] as const) {
    const shape = operation[part];
    // An unexpected body is ignored; an unexpected query parameter is a mistake worth reporting.
    const parsed = (shape ?? (part === "query" ? nothing : anything)).safeParse(parts[part], plainIssues);
    if (!parsed.success) issues.push(...parsed.error.issues);
    else if (shape !== undefined) Object.assign(input, parsed.data);
  }
  if (issues.length > 0) throw refusal(issues);
  return input;
}

function refusal(issues: readonly Issue[]): TollgateError {
  const sentences = [...new Set(issues.flatMap(sentencesOf))].slice(0, MAX_SENTENCES);
  return fail("invalid_request", sentences.join("; "));
}

function sentencesOf(issue: Issue): string[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map(key => `unknown field: ${nameOf([...issue.path, key])}`);
  }
  const name = nameOf(issue.path);
  if (issue.message === REQUIRED) return [`${name} is required`];
  return [`${name}: ${issue.message.charAt(0).toLowerCase()}${issue.message.slice(1)}`];
}

/** A name may come from the caller: it is echoed without control characters and at a bounded length. */
function nameOf(path: readonly PropertyKey[]): string {
  const name = path.map(String).join(".");
  const plain = name.replace(/[^\x20-\x7e]/g, "?");
  return plain.length > 100 ? `${plain.slice(0, 100)}…` : plain;
}
