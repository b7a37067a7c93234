import type { Client } from "@tollgate/sdk/client";
import type { z } from "zod";
import { cleanAnswer } from "./clean-answer.ts";
import { parseAnswer } from "./parse-answer.ts";
import { parseArguments } from "./parse-arguments.ts";
import { type PublishedSchema, publishSchema } from "./publish-schema.ts";

export const domains = [
  "Dashboard",
  "Optimization",
  "Budgets",
  "Alerts",
  "Experiments",
  "Cost leak detector",
  "Attribution",
  "Alert configuration",
  "ROI audit",
  "Upgrade justification",
  // Of the hosted endpoint alone.
  "Upgrade business case",
  "Agent health",
  "Verification",
  "Loop metrics",
] as const;

type Domain = (typeof domains)[number];

/** Calls an operation of the web API: over HTTP from the local package, in process when hosted. */
export type CallOperation = Client["call"];

/** All four are set, because clients assume the worst for a missing one. */
interface Annotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

export const reads: Annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** Sets something to the requested value; repeating it changes nothing. */
export const sets: Annotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: true,
  openWorldHint: false,
};

/** Ends something permanently; repeating it is an error. */
export const ends: Annotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: false,
};

export const adds: Annotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
};

interface Declared<I extends z.ZodObject, O extends z.ZodObject> {
  readonly name: `svc_${string}`;
  readonly domain: Domain;
  readonly title: string;
  /** What it is for, what it returns, and when not to use it. */
  readonly description: string;
  readonly input: I;
  readonly output: O;
  readonly annotations: Annotations;
  run(call: CallOperation, input: z.output<I>): Promise<z.input<O>>;
  /** The answer in a few lines that a model can act on. User text is already cleaned. */
  render(answer: z.output<O>, input: z.output<I>): string;
}

interface ToolAnswer {
  readonly text: string;
  readonly structured: Record<string, unknown>;
}

/** A tool as both entry points serve it. */
export interface Tool {
  readonly name: `svc_${string}`;
  readonly domain: Domain;
  readonly title: string;
  readonly description: string;
  readonly annotations: Annotations;
  readonly inputSchema: PublishedSchema;
  readonly outputSchema: PublishedSchema;
  /** Throws the operation's error, or a 400 for invalid arguments. */
  answer(call: CallOperation, sent: unknown): Promise<ToolAnswer>;
}

export function tool<I extends z.ZodObject, O extends z.ZodObject>(declared: Declared<I, O>): Tool {
  const { name, domain, title, description, annotations } = declared;
  // On first use: most processes that load the catalogue never list a tool.
  let inputSchema: PublishedSchema | null = null;
  let outputSchema: PublishedSchema | null = null;
  return {
    name,
    domain,
    title,
    description,
    annotations,
    get inputSchema() {
      inputSchema ??= publishSchema(declared.input, "input");
      return inputSchema;
    },
    get outputSchema() {
      outputSchema ??= publishSchema(declared.output, "output");
      return outputSchema;
    },
    async answer(call, sent) {
      const input = parseArguments(declared.input, sent);
      const raw = await declared.run(call, input);
      const answer = parseAnswer(declared.output, cleanAnswer(raw));
      return { text: declared.render(answer, input), structured: answer };
    },
  };
}
