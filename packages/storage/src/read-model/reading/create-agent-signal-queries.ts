import type { AgentSignalQueries } from "../queries/agent-signal-queries.ts";
import { healthRows, outcomesByAgent, toHealthRecords } from "./read-agent-health.ts";
import { coverageRows, lagRows, sessionRows, volumeRows } from "./read-agent-signals.ts";
import { outcomeRows } from "./read-outcomes.ts";
import type { ScopedReader } from "./scoped-reader.ts";

export function createAgentSignalQueries(reader: ScopedReader): AgentSignalQueries {
  return {
    outcomes: (scope, window, model) =>
      // An organization may have outcomes before its first call; no scope has the number 0.
      reader.readLongEvenWithoutCalls(scope, id => outcomeRows(id ?? 0, scope, window, model)),
    outcomesByAgent: (scope, window) => reader.readLong(scope, id => outcomesByAgent(id, scope, window)),
    agentHealth: async (scope, window, recentFrom) =>
      toHealthRecords(await reader.readFleet(scope, id => healthRows(id, window, recentFrom))),
    agentVolumes: (scope, days) => reader.readFleet(scope, id => volumeRows(id, days)),
    async agentSignals(scope, { days, recent, outcomes }) {
      const areSumsFilled = await reader.areSumsFilled();
      const [volumes, coverage, sessions, lags] = await Promise.all([
        reader.readFleet(scope, id => volumeRows(id, days)),
        areSumsFilled
          ? reader.readFleet(scope, id => coverageRows(id, recent, true))
          : reader.readLong(scope, id => coverageRows(id, recent, false)),
        reader.readLong(scope, id => sessionRows(id, scope, outcomes)),
        reader.readLong(scope, id => lagRows(id, scope, outcomes)),
      ]);
      return { volumes, coverage, sessions, lags };
    },
  };
}
