import { plainName } from "../format/name.ts";

/** Letters at the end that are always shown: names with the same beginning often differ at the end. */
const END_LETTERS = 8;

/** A user-supplied name, shortened in the middle if there is no room; shown in full on hover and to screen readers. */
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
