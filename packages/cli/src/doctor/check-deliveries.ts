import { type DeliveryHealth, readDeliveryHealth } from "@tollgate/storage/config/delivery-health";
import type { Check } from "./finding.ts";
import { withControlOf } from "./with-control-of.ts";

const MAX_NAMED = 20;

/** Checks for webhooks that fail or were disabled, and for overdue messages. */
export const checkDeliveries: Check = {
  name: "deliveries",
  async run(patient, say) {
    await withControlOf(patient, say, async ({ db }) => {
      const { troubled, pending, overdue, failed } = await readDeliveryHealth(db, patient.nowMs);
      const warnings = [
        ...troubled.slice(0, MAX_NAMED).map(describe),
        ...(troubled.length > MAX_NAMED ? [`and ${troubled.length - MAX_NAMED} other webhooks`] : []),
        ...(overdue > 0 && patient.running ? [`${overdue} messages are five minutes or more overdue`] : []),
        ...(failed > 0 ? [`${failed} messages failed permanently within the last day`] : []),
      ];
      for (const warning of warnings) say("warning", warning);
      if (warnings.length === 0) say("ok", `${pending} messages are waiting for their next attempt`);
    });
  },
};

function describe({
  id,
  url,
  failing_since,
  disabled_at,
  disabled_reason,
}: DeliveryHealth["troubled"][number]) {
  // Only the host: the rest of an address may be a secret.
  const webhook = `webhook ${id} to ${new URL(url).host}`;
  if (disabled_at !== null) return `${webhook} was disabled at ${toIso(disabled_at)}: ${disabled_reason}`;
  return `${webhook} has been failing since ${toIso(failing_since ?? 0)}`;
}

function toIso(time: number): string {
  return new Date(time).toISOString();
}
