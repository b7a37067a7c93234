import { plainName, splitName } from "../format/name.ts";

/** A user-supplied name, shortened in the middle if there is no room; shown in full on hover and to screen readers. */
export function MiddleCutName({ name }: { readonly name: string }) {
  const [start, end] = splitName(name);
  return (
    <span className="middle-cut-name" title={plainName(name)}>
      <bdi className="visually-hidden">{plainName(name)}</bdi>
      <bdi aria-hidden="true">{start}</bdi>
      <bdi aria-hidden="true">{end}</bdi>
    </span>
  );
}
