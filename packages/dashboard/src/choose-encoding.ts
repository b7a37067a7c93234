/** Smallest first. `identity`: not compressed. */
const encodings = ["br", "gzip", "identity"] as const;
type Encoding = (typeof encodings)[number];

/** By `Accept-Encoding` (RFC 9110, 12.5.3): the smallest of those that the client likes best. null: it accepts none of them. */
export function chooseEncoding(accepted: string | null): Encoding | null {
  const qualities = new Map((accepted ?? "").toLowerCase().split(",").map(readQuality));
  const others = qualities.get("*");
  const qualityOf = (encoding: Encoding) =>
    qualities.get(encoding) ?? others ?? (encoding === "identity" ? Number.MIN_VALUE : 0);
  const [best = null] = encodings
    .filter(encoding => qualityOf(encoding) > 0)
    .toSorted((one, other) => qualityOf(other) - qualityOf(one));
  return best;
}

function readQuality(part: string): [name: string, quality: number] {
  const [name = "", ...parameters] = part.split(";").map(text => text.trim());
  const [, quality = "1"] = parameters.map(text => text.split(/\s*=\s*/)).find(([key]) => key === "q") ?? [];
  return [name, Number(quality)];
}
