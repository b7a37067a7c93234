import { type SpanField, spanAttributes } from "@tollgate/core/ingestion/attributes";
import type { AttributeValue, OtlpSpan } from "./span.ts";

/** The first two names of a field are our own: `svc.model`, `model`. */
const isOwn = (name: string): boolean => name.startsWith("svc.") || !name.includes(".");

/** Reads a span's fields by meaning, whatever convention the emitter uses. */
export class SpanReader {
  constructor(private readonly span: OtlpSpan) {}

  value(field: SpanField): AttributeValue | null {
    for (const name of spanAttributes[field]) {
      const value = this.span.attributes.get(name);
      if (value !== undefined) return value;
    }
    return null;
  }

  /** A name or id; an empty one counts as absent, so the next attribute is tried. */
  text(field: SpanField): string | null {
    for (const name of spanAttributes[field]) {
      const value = this.span.attributes.get(name);
      if (value !== undefined && String(value).trim() !== "") return String(value);
    }
    return null;
  }

  /** undefined: absent. NaN: present, but not a number. */
  number(field: SpanField): number | undefined {
    const value = this.value(field);
    if (value === null || value === "") return undefined;
    return typeof value === "boolean" ? Number.NaN : Number(value);
  }

  hasOwn(field: SpanField): boolean {
    return spanAttributes[field].some(name => isOwn(name) && this.span.attributes.has(name));
  }
}
