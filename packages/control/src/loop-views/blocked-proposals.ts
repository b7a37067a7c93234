import type { Context } from "../kernel/context.ts";

export interface BlockedProposals {
  readonly agentId: string;
  readonly reason: string;
  readonly proposals: number;
}

/** Proposals that wait for evidence or for a person, by agent and reason. There is no source of proposals yet. */
export async function blockedProposals(_context: Context): Promise<readonly BlockedProposals[]> {
  return [];
}
