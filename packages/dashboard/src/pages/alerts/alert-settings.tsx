import { tierTitles } from "@tollgate/core/limits/tiers";
import { useRole } from "../../data/session.tsx";
import { useOperation } from "../../data/use-operation.ts";
import { Card } from "../../parts/card.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { AlertRules } from "./alert-rules.tsx";
import { AlertThresholds } from "./alert-thresholds.tsx";
import { Channels } from "./channels.tsx";

/** Which alerts are raised, and where they are sent. */
export function AlertSettings() {
  const { missingTier } = useRole();
  const tier = missingTier("alerts.preferences.get");
  const preferences = useOperation("alerts.preferences.get", {}, { enabled: tier === null });
  if (tier !== null) {
    return (
      <div className="alerts-stack">
        <Card title="Rules and channels">
          <Empty title={`Requires the ${tierTitles[tier]} tier`}>
            Alerts are raised by the default rules and listed here; sending them requires that tier.
          </Empty>
        </Card>
        <AlertThresholds />
      </div>
    );
  }
  return (
    <div className="alerts-stack">
      <Loaded query={preferences}>
        {data => (
          <>
            <Channels preferences={data} />
            <AlertRules preferences={data} />
          </>
        )}
      </Loaded>
      <AlertThresholds />
    </div>
  );
}
