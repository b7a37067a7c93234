/**
 * Search parameters shared by all pages: organization, mode, range, filters. Invalid values are dropped, so that an old
 * or mistyped link still opens.
 */
import { eventSources, eventStatuses, type Mode, modes } from "@tollgate/core/event";

export const rangePresets = ["15m", "1h", "24h", "7d", "30d", "90d"] as const;
export type RangePreset = (typeof rangePresets)[number];
export const DEFAULT_RANGE: RangePreset = "24h";

export const filterNames = [
  "agent",
  "customer",
  "session",
  "model",
  "provider",
  "key",
  "status",
  "source",
] as const;
export type FilterName = (typeof filterNames)[number];
export type Filters = { readonly [Name in FilterName]?: string };

export type ViewSearch = Filters & {
  readonly org?: string;
  /** Absent: live, or test when a page is opened and there is no live traffic. */
  readonly mode?: Mode;
  /** Absent: the default. With `from` and `to`, those count. */
  readonly range?: RangePreset;
  readonly from?: string;
  readonly to?: string;
  /** Absent: compared with the period before. */
  readonly compare?: "off";
};

export const viewSearchNames = ["org", "mode", "range", "from", "to", "compare", ...filterNames] as const;

const MAX_FILTER_LENGTH = 1024;

export function readViewSearch(raw: Readonly<Record<string, unknown>>): ViewSearch {
  const text = (name: string) => {
    const value = raw[name];
    return typeof value === "string" && value !== "" && value.length <= MAX_FILTER_LENGTH ? value : undefined;
  };
  const mode = modes.find(name => name === raw.mode);
  const range = rangePresets.find(preset => preset === raw.range);
  const [from, to] = [isoTime(text("from")), isoTime(text("to"))];
  const isCustom = from !== undefined && to !== undefined && from < to;
  const org = text("org");
  return {
    ...(org === undefined ? {} : { org }),
    ...(mode === undefined ? {} : { mode }),
    ...(isCustom ? { from, to } : range === undefined || range === DEFAULT_RANGE ? {} : { range }),
    ...(raw.compare === "off" ? { compare: "off" } : {}),
    ...readFilters(text),
  };
}

/** Filters whose values are a fixed set. Any other value would appear in the filter bar without filtering anything. */
const fixedValues: { readonly [Name in FilterName]?: readonly string[] } = {
  status: eventStatuses,
  source: eventSources,
};

/** Whether it can be typed. Nobody types ids of agents and keys. */
export const isTypedFilter = (name: FilterName): boolean =>
  name !== "agent" && name !== "key" && fixedValues[name] === undefined;

function readFilters(text: (name: string) => string | undefined): Filters {
  const set = filterNames.flatMap(name => {
    const value = text(name);
    const isKnown = value !== undefined && (fixedValues[name]?.includes(value) ?? true);
    return isKnown ? [[name, value] as const] : [];
  });
  return Object.fromEntries(set);
}

function isoTime(text: string | undefined): string | undefined {
  const at = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}

/** Flat and readable: `?range=7d&agent=planner`, without the router's JSON. */
export function parseQuery(search: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(search));
}

export function writeQuery(search: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (value !== undefined && value !== null && value !== "") query.set(name, String(value));
  }
  return query.size === 0 ? "" : `?${query}`;
}
