import { dollarsToMicrocents } from "@tollgate/core/money/dollars-to-microcents";
import { type ProviderId, providerIds } from "@tollgate/core/provider-id";
import { type FormEvent, useState } from "react";
import { useRole } from "../../data/session.tsx";
import { type Output, useChange, useOperation } from "../../data/use-operation.ts";
import { fullDollars } from "../../format/money.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog, DialogActions } from "../../parts/dialog.tsx";
import { ChoiceField, DollarField } from "../../parts/field.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Name } from "../../parts/name.tsx";
import { Loaded } from "../../parts/states.tsx";
import { Tag } from "../../parts/tag.tsx";
import { perMillion } from "./model-columns.tsx";

type Override = Output<"prices.overrides.list">["overrides"][number];

const refreshes = ["prices.overrides.list", "models.compare", "events.list", "events.cost"] as const;
const MICROCENTS_PER_CENT = 100_000;

interface OwnPriceProps {
  readonly model: string;
  /** Of the price list or of the latest call. */
  readonly provider: string | null;
}

/** What the organization pays for the model, where that is not what the price list says. */
export function OwnPrice({ model, provider }: OwnPriceProps) {
  const { can } = useRole();
  const query = useOperation("prices.overrides.list", {}, { isLive: false });
  const [isOpen, setIsOpen] = useState(false);
  return (
    <section aria-labelledby="own-price-title" className="panel-part">
      <div className="row-line">
        <h3 id="own-price-title">Own price</h3>
        {can("prices.overrides.set") && <Button onClick={() => setIsOpen(true)}>Set a price</Button>}
      </div>
      <Loaded query={query}>
        {({ overrides }) => {
          const own = overrides.filter(one => one.model === model.toLowerCase());
          return own.length === 0 ? (
            <p className="muted">None: the price list counts.</p>
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
  const remove = useChange("prices.overrides.remove", { refreshes, done: "Removed: the price list counts." });
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
          <Button kind="quiet" isBusy={remove.isPending} onClick={() => remove.mutate({ id: override.id })}>
            Remove
          </Button>
        )}
      </div>
      <p className="muted breakable">
        {override.provider}, since <Moment at={override.effective_from} />, by{" "}
        <Name name={override.created_by} maxLength={60} />
      </p>
    </li>
  );
}

interface PriceFormProps extends OwnPriceProps {
  readonly onClose: () => void;
}

function PriceForm({ model, provider, onClose }: PriceFormProps) {
  const [chosen, setChosen] = useState<ProviderId>(providerIds.find(one => one === provider) ?? "openai");
  const [input, setInput] = useState("");
  const [output, setOutput] = useState("");
  const [cached, setCached] = useState("");
  const [isTried, setIsTried] = useState(false);
  const set = useChange("prices.overrides.set", {
    refreshes,
    done: "The price counts for calls from now on.",
    onDone: onClose,
  });
  const [inputCents, outputCents] = [readCents(input), readCents(output)];
  const cachedCents = cached.trim() === "" ? undefined : readCents(cached);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsTried(true);
    if (inputCents === null || outputCents === null || cachedCents === null) return;
    set.mutate({
      provider: chosen,
      model,
      input_per_million_cents: inputCents,
      output_per_million_cents: outputCents,
      ...(cachedCents === undefined ? {} : { cache_read_per_million_cents: cachedCents }),
    });
  };
  const problem = (cents: string | null | undefined) =>
    isTried && cents === null ? "An amount of 0 or more, such as 2.50" : null;
  return (
    <Dialog title="Set a price" isOpen onClose={onClose}>
      <form onSubmit={submit}>
        <p className="muted">
          Of 1M tokens of <Name name={model} maxLength={60} />, for calls from now on. Earlier calls keep
          their cost.
        </p>
        <ChoiceField
          label="Provider"
          value={chosen}
          options={providerIds.map(value => ({ value, label: value }))}
          onChange={setChosen}
        />
        <DollarField label="Input" value={input} problem={problem(inputCents)} onChange={setInput} />
        <DollarField label="Output" value={output} problem={problem(outputCents)} onChange={setOutput} />
        <DollarField
          label="Input from cache"
          help="Empty: it follows from the input price"
          placeholder=""
          value={cached}
          problem={problem(cachedCents)}
          onChange={setCached}
        />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={set.isPending}>
            Set price
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

/** Dollars, typed as people write them, in cents as decimal text; null: no amount. A model may be free. */
function readCents(text: string): string | null {
  const amount = dollarsToMicrocents(text.replace(/[$,\s]/g, ""));
  return amount === null ? null : String(amount / MICROCENTS_PER_CENT);
}
