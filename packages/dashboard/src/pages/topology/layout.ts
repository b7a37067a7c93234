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
  /** Column and row, from 0. */
  readonly layer: number;
  readonly row: number;
}

/**
 * Layers from left to right: an agent is left of those that it hands over to. Edges that would close a cycle do not
 * count, the rarest first, and are drawn backwards. A node is placed at the mean row of its predecessors, so that few
 * lines cross. Deterministic: the same data gives the same picture.
 */
export function layOut(nodes: readonly Node[], edges: readonly Edge[]): ReadonlyMap<string, Place> {
  const ids = new Set(nodes.map(({ agent_id }) => agent_id));
  const forward = withoutCycles(edges.filter(({ from, to }) => ids.has(from) && ids.has(to) && from !== to));
  const layerOf = layers(nodes, forward);
  const columns: string[][] = [];
  for (const { agent_id } of nodes.toSorted((a, b) => b.call_count - a.call_count)) {
    const layer = layerOf.get(agent_id) ?? 0;
    columns[layer] = [...(columns[layer] ?? []), agent_id];
  }
  const places = new Map<string, Place>();
  for (const [layer, column = []] of columns.entries()) {
    const weight = new Map(column.map(id => [id, meanRow(id, forward, places)]));
    const ordered = column.toSorted((a, b) => (weight.get(a) ?? 0) - (weight.get(b) ?? 0));
    for (const [row, id] of ordered.entries()) places.set(id, { layer, row });
  }
  return places;
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
function layers(nodes: readonly Node[], edges: readonly Edge[]): ReadonlyMap<string, number> {
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
