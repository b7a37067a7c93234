import type { z } from "zod";

/** A template that a person picks in their client. In the protocol, its arguments can only be strings. */
export interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly argsSchema: z.ZodType<Readonly<Record<string, string | undefined>>, object>;
  text(args: Readonly<Record<string, string | undefined>>): string;
}
