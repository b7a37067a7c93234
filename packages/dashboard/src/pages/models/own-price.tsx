import { useState } from "react";
import { useRole } from "../../data/session.tsx";
import { type Output, useChange, useOperation } from "../../data/use-operation.ts";
import { fullDollars } from "../../format/money.ts";
import { Actor } from "../../parts/actor.tsx";
import { Button } from "../../parts/button.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { Moment } from "../../parts/moment.tsx";
import { PriceForm, refreshedByPrices } from "../../parts/price-form.tsx";
import { Loaded } from "../../parts/states.tsx";
import { Tag } from "../../parts/tag.tsx";
import { perMillion } from "./model-columns.tsx";

type Override = Output<"prices.overrides.list">["overrides"][number];

interface OwnPriceProps {
  readonly model: string;
  /** Of the price list or of the latest call. */
  readonly provider: string | null;
}

/** The organization's own price of the model, where it differs from the price list. */
export function OwnPrice({ model, provider }: OwnPriceProps) {
  const { can } = useRole();
  const query = useOperation("prices.overrides.list", {}, { isLive: false });
  const [isOpen, setIsOpen] = useState(false);
  return (
    <section aria-labelledby="own-price-title" className="panel-part">
      <div className="row-line">
        <h3 id="own-price-title">Custom price</h3>
        {can("prices.overrides.set") && <Button onClick={() => setIsOpen(true)}>Set a price</Button>}
      </div>
      <Loaded query={query}>
        {({ overrides }) => {
          const own = overrides.filter(one => one.model === model.toLowerCase());
          return own.length === 0 ? (
            <p className="muted">None set.</p>
          ) : (
            <ul className="rows">
              {own.map((override, index) => (
                <OverrideRow key={override.id} override={override} isInForce={index === 0} />
              ))}
            </ul>
          );
        }}
      </Loaded>
      {isOpen && <PriceForm model={model} provider={provider} onClose={() => setIsOpen(false)} />}
    </section>
  );
}

interface OverrideRowProps {
  readonly override: Override;
  readonly isInForce: boolean;
}

function OverrideRow({ override, isInForce }: OverrideRowProps) {
  const { can } = useRole();
  const [isRemoving, setIsRemoving] = useState(false);
  const remove = useChange("prices.overrides.remove", {
    refreshes: refreshedByPrices,
    done: "Removed; the price list applies again",
    onDone: () => setIsRemoving(false),
  });
  const { input_per_million_cents, output_per_million_cents } = override.prices;
  return (
    <li data-price={override.id}>
      <div className="row-line">
        <p>
          {fullDollars(perMillion(Number(input_per_million_cents)))} in,{" "}
          {fullDollars(perMillion(Number(output_per_million_cents)))} out, per 1M{" "}
          {isInForce && <Tag kind="good">in force</Tag>}
        </p>
        {isInForce && can("prices.overrides.remove") && (
          <Button kind="quiet" onClick={() => setIsRemoving(true)}>
            Remove
          </Button>
        )}
      </div>
      {isRemoving && (
        <ConfirmDialog
          title="Remove the custom price?"
          action="Remove the price"
          isDanger
          isBusy={remove.isPending}
          onConfirm={() => remove.mutate({ id: override.id })}
          onClose={() => setIsRemoving(false)}
        >
          <p>
            Calls from now on cost what the price list says. Earlier custom prices of {override.model} are
            removed, too. Recorded calls keep their cost.
          </p>
        </ConfirmDialog>
      )}
      <p className="muted breakable">
        {override.provider}, since <Moment at={override.effective_from} />, by{" "}
        <Actor name={override.created_by} />
      </p>
    </li>
  );
}
