import type { LedgerConsumer } from "@tollgate/storage/following/ledger-continuity";
import { profileConsumer } from "@tollgate/storage/profile/profile-consumer";
import { readModelConsumer } from "@tollgate/storage/read-model/read-model-consumer";
import { alertConsumer } from "../alerts/watch-alerts.ts";
import { experimentConsumer } from "../experiments/follow-experiments.ts";
import { liveConsumer } from "../live/live-hub.ts";
import { effectConsumer } from "../optimizations/follow-effects.ts";
import { webhookConsumer } from "../webhooks/follow-events.ts";

/** Everything that is made from the ledger, and repaired if the ledger turns out to be another one. */
export const ledgerConsumers: readonly LedgerConsumer[] = [
  readModelConsumer,
  profileConsumer,
  webhookConsumer,
  alertConsumer,
  experimentConsumer,
  effectConsumer,
  liveConsumer,
];
