import { MICROCENTS_PER_CENT } from "@tollgate/core/money/money";
import { Detail, Details } from "../../parts/details.tsx";
import { centsInDollars, inWords } from "./saving-words.ts";

/** The numbers that something follows from, units in their names. */
export function Evidence({ evidence }: { readonly evidence: Readonly<Record<string, unknown>> }) {
  return (
    <Details>
      {Object.entries(evidence).map(([name, value]) => (
        <Detail key={name} title={inWords(name.replace(/_microcents$/, ""))} className="figure">
          {typeof value === "number" && name.endsWith("_microcents")
            ? centsInDollars(value / MICROCENTS_PER_CENT)
            : typeof value === "number"
              ? value.toLocaleString("en-US")
              : typeof value === "string"
                ? value
                : value === null
                  ? "–"
                  : JSON.stringify(value)}
        </Detail>
      ))}
    </Details>
  );
}
