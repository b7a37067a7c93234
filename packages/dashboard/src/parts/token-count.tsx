import { compactCount, count } from "../format/counts.ts";

/** No column is as wide as more digits: a number that is cut off reads as a smaller one. */
const MAX_IN_FULL = 9_999_999;

/** A number of tokens in a table: 9,999,999 or 12.3M, in full on hover. */
export function TokenCount({ tokens }: { readonly tokens: number | null }) {
  if (tokens === null || tokens <= MAX_IN_FULL) return <span className="figure">{count(tokens)}</span>;
  return (
    <span className="figure" title={count(tokens)}>
      {compactCount(tokens)}
    </span>
  );
}
