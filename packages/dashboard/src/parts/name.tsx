import { plainName, shortName } from "../format/name.ts";

/** A name that a caller chose: always text, cut where it is too long, in full on hover. */
export function Name({ name, maxLength }: { readonly name: string; readonly maxLength?: number }) {
  return (
    <span className="name" title={plainName(name).slice(0, 500)}>
      {shortName(name, maxLength)}
    </span>
  );
}
