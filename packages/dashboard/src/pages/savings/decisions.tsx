import { useRole, useSession } from "../../data/session.tsx";
import { useChange } from "../../data/use-operation.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { Changes } from "./changes.tsx";
import { Headline } from "./headline.tsx";
import { InForce } from "./in-force.tsx";
import { Proposals } from "./proposals.tsx";
import { Queue } from "./queue.tsx";

export function Decisions() {
  const { organization } = useSession();
  const isOn = organization.flags.optimization_model_v3;
  return (
    <div className="savings">
      {isOn ? (
        <>
          <Headline />
          <Queue />
        </>
      ) : (
        <TurnOn />
      )}
      <InForce />
      <Proposals />
      {isOn && <Changes />}
    </div>
  );
}

function TurnOn() {
  const { can } = useRole();
  const turnOn = useChange("organization.update", {
    refreshes: ["organization.get"],
    done: "Savings and the decision queue are now shown",
  });
  return (
    <Card title="Savings and the decision queue">
      <p>
        Measured, attributed and verified savings, the decision queue and the log of changes are off for this
        organization.
      </p>
      {can("organization.update") ? (
        <Button
          kind="primary"
          className="savings-turn-on"
          isBusy={turnOn.isPending}
          onClick={() => turnOn.mutate({ flags: { optimization_model_v3: true } })}
        >
          Turn them on
        </Button>
      ) : (
        <p className="muted">An owner can turn them on.</p>
      )}
    </Card>
  );
}
