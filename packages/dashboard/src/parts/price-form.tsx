import { MICROCENTS_PER_CENT } from "@tollgate/core/money/money";
import { type ProviderId, providerIds } from "@tollgate/core/provider-id";
import { useState } from "react";
import { useFormChange } from "../data/use-operation.ts";
import { readDollars } from "../format/read-dollars.ts";
import { Button } from "./button.tsx";
import { Dialog, DialogActions } from "./dialog.tsx";
import { ChoiceField, DollarField, TextField } from "./field.tsx";
import { Form } from "./form.tsx";
import { Name } from "./name.tsx";

export const refreshedByPrices = [
  "prices.overrides.list",
  "models.compare",
  "models.prices",
  "events.list",
  "events.cost",
] as const;

interface PriceFormProps {
  /** null: to be typed. */
  readonly model: string | null;
  /** null: not known. */
  readonly provider: string | null;
  readonly onClose: () => void;
}

/** Sets the organization's own price of a model. */
export function PriceForm({ model, provider, onClose }: PriceFormProps) {
  const [chosen, setChosen] = useState<ProviderId>(providerIds.find(one => one === provider) ?? "openai");
  const [typed, setTyped] = useState("");
  const [input, setInput] = useState("");
  const [output, setOutput] = useState("");
  const [cached, setCached] = useState("");
  const [isTried, setIsTried] = useState(false);
  const set = useFormChange("prices.overrides.set", {
    refreshes: refreshedByPrices,
    done: "The price applies to calls from now on",
    onDone: onClose,
  });
  const name = model ?? typed.trim();
  const [inputCents, outputCents] = [readCents(input), readCents(output)];
  const cachedCents = cached.trim() === "" ? undefined : readCents(cached);
  const submit = () => {
    setIsTried(true);
    if (name === "" || inputCents === null || outputCents === null || cachedCents === null) return;
    set.mutate({
      provider: chosen,
      model: name,
      input_per_million_cents: inputCents,
      output_per_million_cents: outputCents,
      ...(cachedCents === undefined ? {} : { cache_read_per_million_cents: cachedCents }),
    });
  };
  const problem = (cents: string | null | undefined) =>
    isTried && cents === null ? "Enter an amount of 0 or more, such as 2.50" : null;
  return (
    <Dialog title="Set a price" isOpen onClose={onClose}>
      <Form changes={[set]} onSubmit={submit}>
        <p className="muted">
          Per 1M tokens{model !== null && " of "}
          {model !== null && <Name name={model} maxLength={60} />}, for calls from now on. Earlier calls keep
          their cost until they are rerated.
        </p>
        <ChoiceField
          label="Provider"
          value={chosen}
          options={providerIds.map(value => ({ value, label: value }))}
          onChange={setChosen}
        />
        {model === null && (
          <TextField
            label="Model"
            help="Includes its dated snapshots"
            value={typed}
            problem={isTried && name === "" ? "Enter the name of a model" : null}
            onChange={setTyped}
          />
        )}
        <DollarField label="Input" value={input} problem={problem(inputCents)} onChange={setInput} />
        <DollarField label="Output" value={output} problem={problem(outputCents)} onChange={setOutput} />
        <DollarField
          label="Input from cache"
          help="Empty: derived from the input price"
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
      </Form>
    </Dialog>
  );
}

/** Dollars, typed as people write them, in cents as decimal text; null: no amount. A model may be free. */
function readCents(text: string): string | null {
  const amount = readDollars(text);
  return amount === null ? null : String(amount / MICROCENTS_PER_CENT);
}
