import { describe, expect, it } from "bun:test";
import { raiseAlert } from "@tollgate/control/features/alerts/raise-alert";
import { receiverOf } from "@tollgate/control/messaging/delivery/delivery";
import { defaultAlertPreferences } from "@tollgate/core/alerts/preferences";
import { controlDatabases } from "../../support/labs/control-databases.ts";
import { startDeliveryLab } from "../../support/labs/delivery-lab.ts";

const databases = controlDatabases();

describe("an alert", () => {
  it("wakes the sender for the receivers of the message, and for no others", async () => {
    const lab = await startDeliveryLab(await databases.open("sqlite"));
    const told = await lab.webhook("http://127.0.0.1:9/", ["alert.triggered"]);
    await lab.webhook("http://127.0.0.1:9/", ["event.created"]);
    await lab.db
      .insertInto("alert_preferences")
      .values({
        org_id: lab.orgId,
        preferences: JSON.stringify({
          ...defaultAlertPreferences,
          slack_webhook: "https://hooks.slack.com/services/a",
        }),
        updated_at: 0,
      })
      .execute();
    const woken: (readonly string[] | undefined)[] = [];
    const parts = {
      ...lab,
      now: lab.clock.now,
      newId: () => Bun.randomUUIDv7(),
      wakeSender: (receivers?: Iterable<string>) => woken.push(receivers && [...receivers]),
    };
    const draft = {
      ruleKey: "rule",
      period: "now",
      type: "cost_spike",
      severity: "warning",
      message: "",
      metadata: { kind: "test" },
      agentId: null,
      notify: ["slack"],
    } as const;
    const scope = { orgId: lab.orgId, mode: "live" } as const;
    expect(await raiseAlert(parts, scope, draft)).toBe(true);
    expect(await raiseAlert(parts, scope, draft)).toBe(false);
    expect(woken).toEqual([[receiverOf("slack", lab.orgId), told]]);
  });
});
