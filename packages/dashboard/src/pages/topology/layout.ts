interface Node {
  readonly agent_id: string;
  readonly call_count: number;
}

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly count: number;
}

export interface Place {
  /** From 0. */
  readonly column: number;
  readonly row: number;
}

/** A longer column is divided, if there is room. */
const ROWS = 8;

/**
 * Layers from left to right: an agent is left of those that it hands over to. Edges that would close a cycle do not
 * count, the rarest first, and are drawn backwards. A node is placed at the mean row of its predecessors, so that few
 * lines cross. Deterministic: the same data gives the same picture. It has at most as many columns as there is room
 * for; neighbouring layers may share one.
 */
export function layOut(
  nodes: readonly Node[],
  edges: readonly Edge[],
  maxColumns: number,
): ReadonlyMap<string, Place> {
  const ids = new Set(nodes.map(({ agent_id }) => agent_id));
  const forward = withoutCycles(edges.filter(({ from, to }) => ids.has(from) && ids.has(to) && from !== to));
  const layerOf = layersOf(nodes, forward);
  const layers: string[][] = [];
  for (const { agent_id } of nodes.toSorted((a, b) => b.call_count - a.call_count)) {
    const layer = layerOf.get(agent_id) ?? 0;
    layers[layer] = [...(layers[layer] ?? []), agent_id];
  }
  const places = new Map<string, Place>();
  for (const [column, ids] of fitted(layers, maxColumns).entries()) {
    const weight = new Map(ids.map(id => [id, meanRow(id, forward, places)]));
    const ordered = ids.toSorted((a, b) => (weight.get(a) ?? 0) - (weight.get(b) ?? 0));
    for (const [row, id] of ordered.entries()) places.set(id, { column, row });
  }
  return places;
}

/**
 * Merges neighbours while there are too many columns. Then divides the longest while it is too long and there is room for
 * one more, or the two that would be shortest together make room: one agent may hand over to fifty others.
 */
function fitted(columns: readonly string[][], maxColumns: number): readonly string[][] {
  const lengths = columns.map(({ length }) => length);
  const longest = lengths.indexOf(Math.max(...lengths));
  const pairs = lengths.slice(1).map((length, index) => length + (lengths[index] ?? 0));
  const pair = pairs.indexOf(Math.min(...pairs));
  const ids = columns[longest] ?? [];
  const isTooLong = ids.length > ROWS;
  if (isTooLong && columns.length < maxColumns) {
    const half = Math.ceil(ids.length / 2);
    return fitted(columns.toSpliced(longest, 1, ids.slice(0, half), ids.slice(half)), maxColumns);
  }
  const isWorthIt = isTooLong && (pairs[pair] ?? ids.length) < ids.length;
  if (columns.length <= maxColumns && !isWorthIt) return columns;
  return fitted(columns.toSpliced(pair, 2, columns.slice(pair, pair + 2).flat()), maxColumns);
}

function withoutCycles(edges: readonly Edge[]): readonly Edge[] {
  const kept: Edge[] = [];
  const next = new Map<string, string[]>();
  for (const edge of edges.toSorted((a, b) => b.count - a.count || (a.from < b.from ? -1 : 1))) {
    if (reaches(next, edge.to, edge.from)) continue;
    kept.push(edge);
    next.set(edge.from, [...(next.get(edge.from) ?? []), edge.to]);
  }
  return kept;
}

function reaches(next: ReadonlyMap<string, readonly string[]>, from: string, to: string): boolean {
  const seen = new Set([from]);
  const open = [from];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (id === to) return true;
    for (const one of next.get(id) ?? []) {
      if (seen.has(one)) continue;
      seen.add(one);
      open.push(one);
    }
  }
  return false;
}

/** The length of the longest path from a node without predecessors. */
function layersOf(nodes: readonly Node[], edges: readonly Edge[]): ReadonlyMap<string, number> {
  const incoming = Map.groupBy(edges, ({ to }) => to);
  const known = new Map<string, number>();
  const layerOf = (id: string): number => {
    const before = known.get(id);
    if (before !== undefined) return before;
    const layer = Math.max(-1, ...(incoming.get(id) ?? []).map(({ from }) => layerOf(from))) + 1;
    known.set(id, layer);
    return layer;
  };
  for (const { agent_id } of nodes) layerOf(agent_id);
  return known;
}

function meanRow(id: string, edges: readonly Edge[], places: ReadonlyMap<string, Place>): number {
  const rows = edges.flatMap(({ from, to }) => (to === id ? (places.get(from)?.row ?? []) : []));
  return rows.length === 0 ? 0 : rows.reduce((sum, row) => sum + row, 0) / rows.length;
}
