/** What a webhook can be told of. */
export const webhookKinds = [
  "event.created",
  "outcome.confirmed",
  "alert.triggered",
  "budget.exceeded",
] as const;
