import { plainName, shortName } from "../format/name.ts";

/**
 * A name that a caller chose: always text, cut where it is too long, in full on hover. It is isolated, because one that
 * is written from right to left would move the text around it.
 */
export function Name({ name, maxLength }: { readonly name: string; readonly maxLength?: number }) {
  return (
    <bdi className="name" title={plainName(name).slice(0, 500)}>
      {shortName(name, maxLength)}
    </bdi>
  );
}
