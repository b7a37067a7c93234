import { plainName } from "../format/name.ts";

/** Always shown: names that begin alike often differ at their end. */
const END_LETTERS = 8;

/** A name that a caller chose, cut in the middle where there is no room; in full on hover and to screen readers. */
export function MiddleCutName({ name }: { readonly name: string }) {
  const letters = [...plainName(name)];
  const end = letters.length > 2 * END_LETTERS ? letters.length - END_LETTERS : letters.length;
  return (
    <span className="middle-cut-name" title={plainName(name)}>
      <span className="visually-hidden">{plainName(name)}</span>
      <span aria-hidden="true">{letters.slice(0, end).join("")}</span>
      <span aria-hidden="true">{letters.slice(end).join("")}</span>
    </span>
  );
}
