import { MICROCENTS_PER_CENT } from "@tollgate/core/money/money";
import { centsInDollars, inWords } from "./saving-words.ts";

/** The numbers that something follows from, units in their names. */
export function Evidence({ evidence }: { readonly evidence: Readonly<Record<string, unknown>> }) {
  return (
    <dl className="details">
      {Object.entries(evidence).map(([name, value]) => (
        <div key={name}>
          <dt className="muted">{inWords(name.replace(/_microcents$/, ""))}</dt>
          <dd className="figure">
            {typeof value === "number" && name.endsWith("_microcents")
              ? centsInDollars(value / MICROCENTS_PER_CENT)
              : typeof value === "number"
                ? value.toLocaleString("en-US")
                : typeof value === "string"
                  ? value
                  : value === null
                    ? "–"
                    : JSON.stringify(value)}
          </dd>
        </div>
      ))}
    </dl>
  );
}
