import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import type { LiveTopology } from "@tollgate/core/contract/live-message";
import { isVerification } from "@tollgate/core/event";
import { TopologyFold } from "@tollgate/core/live/topology-fold";
import type { Scope } from "@tollgate/storage/ledger/scope";
import { storableName } from "@tollgate/storage/ledger/storable-name";
import { isUnpriced } from "@tollgate/storage/read-model/is-unpriced";
import type { Position } from "@tollgate/storage/read-model/page";
import type { LiveSeeds, SessionCall } from "@tollgate/storage/read-model/reading/live-seeds";
import type { AudienceAgents } from "./audience-agents.ts";
import type { LiveState, SeedPieces } from "./live-state.ts";

interface TopologyParts {
  readonly seeds: LiveSeeds;
  readonly scope: Scope;
  readonly agents: AudienceAgents;
  readonly now: () => number;
}

const MAX_SESSION_CALLS = 50_000;
/** Including calls without a session, which are skipped. */
const MAX_CALLS = 200_000;
/** Read in small pieces, so that other work runs in between. */
const CALLS_PER_PIECE = 2000;
const MAX_NODES = 500;
const MAX_EDGES = 2000;

export function topologyState({ seeds, scope, agents, now }: TopologyParts): LiveState {
  const fold = new TopologyFold();
  const seen = new Set<string>();
  let isDirty = false;
  let isUrgent = false;
  let lastSent = "";

  function shown(): LiveTopology {
    const view = fold.view(now());
    const nodes = view.agents
      .slice(0, MAX_NODES)
      .flatMap(({ agentKey, count, costMicrocents, unpricedCalls }) => {
        const agent = agents.get(agentKey);
        return agent === null
          ? []
          : [
              {
                agent_id: agent.id,
                agent_key: agentKey,
                name: agent.name,
                call_count: count,
                cost_microcents: costMicrocents,
                unpriced_calls: unpricedCalls,
              },
            ];
      });
    const ids = new Map(nodes.map(node => [node.agent_key, node.agent_id]));
    const edges = view.steps.slice(0, MAX_EDGES).flatMap(step => {
      const from = ids.get(step.from);
      const to = ids.get(step.to);
      return from === undefined || to === undefined
        ? []
        : [
            {
              from,
              to,
              count: step.count,
              cost_microcents: step.costMicrocents,
              unpriced_calls: step.unpricedCalls,
            },
          ];
    });
    return { nodes, edges, since: toIsoTime(view.since) };
  }

  return {
    pauseMs: 250,
    get isUrgent() {
      return isUrgent;
    },
    async seed(piece) {
      await piece(() => agents.load());
      const from = TopologyFold.since(now());
      const { seq, rows } = await piece(() => seeds.agentHours(scope, from));
      for (const row of rows) {
        seen.add(row.agent_key);
        fold.addCalls(row.hour, row.agent_key, row.calls, row.cost_microcents, row.unpriced_calls);
      }
      const calls = await newestSessionCalls(seeds, piece, scope, from, seq);
      for (let done = 0; done < calls.length; done += CALLS_PER_PIECE) {
        await piece(() => {
          for (const call of calls.slice(done, done + CALLS_PER_PIECE)) {
            const { created_at, session_id, agent_key, cost_microcents, unpriced } = call;
            if (session_id === null) continue;
            fold.addStep(created_at, session_id, agent_key, cost_microcents, unpriced);
          }
        });
      }
      return seq;
    },
    add(event) {
      if (isVerification(event.source)) return;
      const key = storableName(event.agent_key);
      isDirty = true;
      if (!seen.has(key)) {
        seen.add(key);
        isUrgent = true;
      }
      const unpriced = isUnpriced(event) ? 1 : 0;
      fold.addCalls(event.created_at, key, 1, event.cost_microcents, unpriced);
      if (event.session_id !== null) {
        const session = storableName(event.session_id);
        fold.addStep(event.created_at, session, key, event.cost_microcents, unpriced);
      }
    },
    refresh() {
      isDirty = true;
    },
    changes() {
      if (!isDirty) return null;
      isDirty = false;
      isUrgent = false;
      const view = shown();
      const text = JSON.stringify(view);
      if (text === lastSent) return null;
      lastSent = text;
      return view;
    },
    snapshot: () => [shown()],
  };
}

/** In ledger order. */
async function newestSessionCalls(
  seeds: LiveSeeds,
  piece: SeedPieces,
  scope: Scope,
  from: number,
  seq: number,
): Promise<SessionCall[]> {
  const found: SessionCall[] = [];
  let after: Position | null = null;
  for (let read = 0; read < MAX_CALLS && found.length < MAX_SESSION_CALLS; read += CALLS_PER_PIECE) {
    const calls: SessionCall[] = await piece(() => seeds.calls(scope, from, seq, CALLS_PER_PIECE, after));
    for (const call of calls) if (call.session_id !== null) found.push(call);
    const last: SessionCall | undefined = calls.at(-1);
    if (last === undefined || calls.length < CALLS_PER_PIECE) break;
    after = { at: last.created_at, seq: last.seq };
  }
  return found.sort((a, b) => a.seq - b.seq);
}
