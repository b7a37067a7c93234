import { fail } from "@tollgate/core/errors";
import type { Context } from "../../kernel/context.ts";
import { findAgent } from "./find-agent.ts";

interface Asked {
  readonly agent_id?: string | undefined;
  readonly agent_key?: string | undefined;
}

/** The key of the agent that a filter names in either way; undefined: it names none. */
export async function agentKeyOf(context: Context, asked: Asked): Promise<string | undefined> {
  if (asked.agent_id === undefined) return asked.agent_key;
  if (asked.agent_key !== undefined) {
    throw fail("invalid_request", "agent_id and agent_key name the same thing; send one of them");
  }
  return (await findAgent(context, asked.agent_id)).agent_key;
}
