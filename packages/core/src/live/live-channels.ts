/** What can be watched. `events` and `alerts` are logs, resumed without a gap; the others are states. */
export const liveChannels = ["events", "totals", "agents", "alerts", "topology"] as const;

export type LiveChannel = (typeof liveChannels)[number];

export const stateChannels = ["totals", "agents", "topology"] as const satisfies readonly LiveChannel[];

export type StateChannel = (typeof stateChannels)[number];

/** Why the server closes a connection; listed in `docs/live.md`. */
export const liveCloseCodes = {
  stopping: 1001,
  fault: 1011,
  badMessages: 4400,
  credentialEnded: 4401,
  organizationInactive: 4403,
  tooSlow: 4408,
  tooFarBack: 4409,
  tooManyConnections: 4429,
} as const;

/** How many events a viewer may have missed or be behind by; beyond that, the web API is faster. */
export const MAX_MISSED_EVENTS = 10_000;
