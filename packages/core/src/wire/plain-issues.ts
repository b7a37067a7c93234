import type { z } from "zod";

/** The message for a missing value: together with the field's name it is a sentence. */
export const REQUIRED = "is required";

/**
 * Passed to `safeParse`: plain messages instead of the library's ("Too small: expected string to have >=1 characters").
 * Messages stated by a schema are kept. No message quotes the value.
 */
export const plainIssues = { error: plainMessage };

type RawIssue = z.core.$ZodRawIssue;

function plainMessage(issue: RawIssue): string {
  if (issue.input === undefined && issue.code !== "unrecognized_keys") return REQUIRED;
  switch (issue.code) {
    case "invalid_type":
      return typeSentences[issue.expected] ?? `must be of type ${issue.expected}`;
    case "too_small":
      return bound(issue.origin, Number(issue.minimum), "at least", issue.inclusive ?? true, issue.exact);
    case "too_big":
      return bound(issue.origin, Number(issue.maximum), "at most", issue.inclusive ?? true, issue.exact);
    case "invalid_format":
      return formatSentences[issue.format] ?? "does not have the expected format";
    case "not_multiple_of":
      return `must be a multiple of ${issue.divisor}`;
    case "invalid_value":
      return `must be ${issue.values.length === 1 ? "" : "one of "}${issue.values.map(String).join(", ")}`;
    case "unrecognized_keys":
      return `unknown ${issue.keys.length === 1 ? "field" : "fields"}: ${issue.keys.join(", ")}`;
    default:
      return "is not valid";
  }
}

const typeSentences: Readonly<Record<string, string>> = {
  int: "must be a whole number",
  number: "must be a number",
  string: "must be text",
  boolean: "must be true or false",
  object: "must be an object",
  record: "must be an object",
  array: "must be a list",
  null: "must be null",
};

const formatSentences: Readonly<Record<string, string>> = {
  email: "must be an e-mail address",
  url: "must be a URL",
  uuid: "must be a UUID",
  date: "must be a day such as 2026-01-31",
  datetime: "must be a time such as 2026-01-31T12:00:00Z",
};

type Bound = "at least" | "at most";

function bound(origin: string, limit: number, kind: Bound, isInclusive: boolean, isExact = false): string {
  const unit = units[origin];
  if (unit === undefined) {
    if (isInclusive) return `must be ${kind} ${limit}`;
    return `must be ${kind === "at least" ? "more" : "less"} than ${limit}`;
  }
  if (kind === "at least" && limit === 1 && !isExact) return "must not be empty";
  const [verb, one, many] = unit;
  return `must ${verb} ${isExact ? "exactly" : kind} ${limit} ${limit === 1 ? one : many}`;
}

/** Units of values with a length. */
const units: Readonly<Record<string, readonly [verb: string, one: string, many: string]>> = {
  string: ["be", "character", "characters"],
  array: ["have", "item", "items"],
  set: ["have", "item", "items"],
  map: ["have", "entry", "entries"],
  object: ["have", "field", "fields"],
};
