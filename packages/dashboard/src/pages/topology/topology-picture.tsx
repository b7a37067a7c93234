import { useMemo } from "react";
import type { LiveTopology } from "../../data/live.tsx";
import { compactCount, plural } from "../../format/counts.ts";
import { dollars } from "../../format/money.ts";
import { plainName } from "../../format/name.ts";
import { Button } from "../../parts/button.tsx";
import { MiddleCutName } from "../../parts/middle-cut-name.tsx";
import { useWidth } from "../../parts/use-width.ts";
import { layOut } from "./layout.ts";

interface TopologyPictureProps {
  readonly topology: LiveTopology;
  readonly chosen: string | null;
  readonly onChoose: (agentId: string | null) => void;
  readonly onOpen: (agentId: string) => void;
}

type Node = LiveTopology["nodes"][number];

/** In pixels. Boxes are wider than `most` (up to `mostForNames`) if a name needs it and there is room. */
const BOX = { width: { least: 128, most: 168, mostForNames: 320 }, height: 46, border: 22 };
const GAP = { x: { least: 40, most: 120 }, y: 18 };
/** Of lines between two boxes of one column, to the right of it. */
const ARC = 24;
const MARGIN = 2;
/** In a narrower window every column begins at the top. */
const PHONE_WIDTH = 560;
const MIN_COLUMNS = 2;
/** An average, in pixels. */
const LETTER_WIDTH = 8;
/** A picture of more agents would be unreadable; the table has all of them. */
const MAX_NODES = 60;

/** Agents as boxes; lines for hand-overs, thicker for more of them. A click selects an agent, a second one opens it. */
export function TopologyPicture({ topology, chosen, onChoose, onOpen }: TopologyPictureProps) {
  const { nodes, edges } = topology;
  const [connected, alone] = useMemo(() => byConnection(nodes, edges), [nodes, edges]);
  const drawn = useMemo(() => connected.slice(0, MAX_NODES), [connected]);
  const { ref, width } = useWidth<HTMLDivElement>();
  const space = width - 2 * MARGIN - ARC;
  const room = Math.max(MIN_COLUMNS, Math.floor((space + GAP.x.least) / (BOX.width.least + GAP.x.least)));
  const places = useMemo(() => layOut(drawn, edges, room), [drawn, edges, room]);
  const columns = 1 + Math.max(0, ...[...places.values()].map(({ column }) => column));
  const rows = 1 + Math.max(0, ...[...places.values()].map(({ row }) => row));
  const longest = Math.max(0, ...drawn.map(({ name }) => [...plainName(name)].length));
  const wanted = Math.min(BOX.width.mostForNames, BOX.border + longest * LETTER_WIDTH);
  const boxWidth = within(
    { least: BOX.width.least, most: Math.max(BOX.width.most, wanted) },
    (space - (columns - 1) * GAP.x.least) / columns,
  );
  const gap = within(GAP.x, (space - columns * boxWidth) / Math.max(1, columns - 1));
  const drawnWidth = columns * boxWidth + (columns - 1) * gap + 2 * MARGIN + ARC;
  const height = rows * (BOX.height + GAP.y) + GAP.y;
  const at = (id: string) => {
    const place = places.get(id);
    if (place === undefined) return null;
    const inColumn = [...places.values()].filter(({ column }) => column === place.column).length;
    const indent = width < PHONE_WIDTH ? 0 : ((rows - inColumn) * (BOX.height + GAP.y)) / 2;
    return {
      x: MARGIN + place.column * (boxWidth + gap),
      y: GAP.y / 2 + indent + place.row * (BOX.height + GAP.y),
    };
  };
  const most = Math.max(1, ...edges.map(({ count }) => count));
  const neighbours = new Set(
    edges.flatMap(({ from, to }) => (from === chosen ? [to] : to === chosen ? [from] : [])),
  );
  const isDim = (id: string) => chosen !== null && id !== chosen && !neighbours.has(id);
  /** null: outside the graph, as wide as its name. */
  const box = (node: Node, place: { readonly left: number; readonly top: number } | null) => (
    <button
      key={node.agent_id}
      type="button"
      className="topology-node"
      aria-pressed={node.agent_id === chosen}
      data-dim={isDim(node.agent_id) || undefined}
      style={{ ...place, ...(place && { width: boxWidth }), height: BOX.height }}
      onClick={() => (node.agent_id === chosen ? onOpen(node.agent_id) : onChoose(node.agent_id))}
    >
      <span className="topology-name">
        <MiddleCutName name={node.name} />
      </span>
      <span className="muted figure">{figuresOf(node)}</span>
    </button>
  );
  const shownCount = drawn.length + Math.min(alone.length, MAX_NODES);
  const chosenNode = nodes.find(({ agent_id }) => agent_id === chosen);
  return (
    <>
      {drawn.length === 0 && <p className="muted">No agent handed over to another yet.</p>}
      <div
        className="topology"
        ref={ref}
        role="group"
        aria-label="Picture of the hand-overs"
        tabIndex={0}
        hidden={drawn.length === 0}
      >
        <svg width={drawnWidth} height={height} aria-hidden="true">
          <defs>
            <marker
              id="arrow"
              viewBox="0 0 8 8"
              refX="7"
              refY="4"
              markerWidth="7"
              markerHeight="7"
              orient="auto"
              markerUnits="userSpaceOnUse"
            >
              <path d="M0 0 L8 4 L0 8 z" className="topology-arrow" />
            </marker>
          </defs>
          {edges.map(({ from, to, count }) => {
            const [start, end] = [at(from), at(to)];
            if (start === null || end === null) return null;
            const isChosen = chosen !== null && (from === chosen || to === chosen);
            return (
              <path
                key={`${from} ${to}`}
                className="topology-edge"
                data-chosen={isChosen || undefined}
                data-dim={(chosen !== null && !isChosen) || undefined}
                d={curve(start, end, boxWidth)}
                strokeWidth={1 + 4 * Math.sqrt(count / most)}
                markerEnd="url(#arrow)"
              >
                <title>{plural(count, "hand-over")}</title>
              </path>
            );
          })}
        </svg>
        {drawn.map(node => {
          const place = at(node.agent_id);
          return place && box(node, { left: place.x, top: place.y });
        })}
      </div>
      {alone.length > 0 && (
        <>
          <h3 className="topology-rest">Without hand-overs</h3>
          <div className="topology-alone">{alone.slice(0, MAX_NODES).map(node => box(node, null))}</div>
        </>
      )}
      <div className="toolbar topology-chosen">
        <p className="muted" role="status">
          {chosenNode === undefined
            ? nodes.length > shownCount
              ? `Showing ${shownCount} of ${plural(nodes.length, "agent")}, those with the most calls.`
              : "Choose an agent to see only its hand-overs."
            : `${plainName(chosenNode.name)}: ${figuresOf(chosenNode)}, ${plural(neighbours.size, "neighbour")}`}
        </p>
        {chosenNode !== undefined && (
          <div className="card-actions">
            <Button onClick={() => onChoose(null)}>Show all</Button>
            <Button kind="primary" onClick={() => onOpen(chosenNode.agent_id)}>
              Open the agent
            </Button>
          </div>
        )}
      </div>
    </>
  );
}

function figuresOf({ call_count, cost_microcents, unpriced_calls }: Node): string {
  // The amount comes first: a narrow box cuts what comes last, and a cut amount reads as a smaller one.
  const calls = `${compactCount(call_count)} ${call_count === 1 ? "call" : "calls"}`;
  if (unpriced_calls > 0) return `${calls}, ${compactCount(unpriced_calls)} unpriced`;
  return `${dollars(cost_microcents)}, ${calls}`;
}

/** Agents with hand-overs, and the others; the busiest first. */
function byConnection(nodes: readonly Node[], edges: LiveTopology["edges"]) {
  const connected = new Set(edges.flatMap(({ from, to }) => (from === to ? [] : [from, to])));
  const busiest = nodes.toSorted((a, b) => b.call_count - a.call_count);
  return [
    busiest.filter(({ agent_id }) => connected.has(agent_id)),
    busiest.filter(({ agent_id }) => !connected.has(agent_id)),
  ] as const;
}

function within({ least, most }: { readonly least: number; readonly most: number }, wanted: number): number {
  return Math.max(least, Math.min(most, Math.floor(wanted)));
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** From the right side of one box to the left side of the other; backwards, below both; in one column, beside it. */
function curve(start: Point, end: Point, boxWidth: number): string {
  const middle = BOX.height / 2;
  if (end.x > start.x) {
    const [x1, y1, x2, y2] = [start.x + boxWidth, start.y + middle, end.x - 1, end.y + middle];
    const bend = Math.max(20, (x2 - x1) / 2);
    return `M${x1} ${y1} C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
  }
  if (end.x === start.x) {
    const [x, y1, y2] = [start.x + boxWidth, start.y + middle, end.y + middle];
    return `M${x} ${y1} C${x + ARC} ${y1} ${x + ARC} ${y2} ${x + 1} ${y2}`;
  }
  const [x1, x2] = [start.x + boxWidth / 2, end.x + boxWidth / 2 + 12];
  const below = Math.max(start.y, end.y) + BOX.height + GAP.y;
  return `M${x1} ${start.y + BOX.height} C${x1} ${below} ${x2} ${below} ${x2} ${end.y + BOX.height + 1}`;
}
