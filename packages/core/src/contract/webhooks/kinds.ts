/** The events that a webhook can subscribe to. */
export const webhookKinds = [
  "event.created",
  "outcome.confirmed",
  "alert.triggered",
  "budget.exceeded",
] as const;
