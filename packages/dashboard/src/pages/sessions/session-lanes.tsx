import { useNavigate } from "@tanstack/react-router";
import { plural } from "../../format/counts.ts";
import { plainName, shortName } from "../../format/name.ts";
import { duration, secondTime } from "../../format/time.ts";
import { seriesColor } from "../../parts/time-chart.tsx";
import { useWidth } from "../../parts/use-width.ts";
import type { SessionStep } from "./hand-overs.ts";

const MAX_LANES = 14;
const MAX_DRAWN = 1500;
const LANE = 34;
const BAR = 14;
const TOP = 8;
const AXIS = 22;
const NAME_LETTERS = 22;

/** A lane for each agent, a bar for each call, and a line where one agent handed over to another. */
export function SessionLanes({ steps }: { readonly steps: readonly SessionStep[] }) {
  const { ref, width } = useWidth();
  const navigate = useNavigate();
  const agents = [...new Set(steps.map(({ call }) => call.agent_key))];
  const shown = agents.slice(0, MAX_LANES);
  const drawn = steps.slice(0, MAX_DRAWN).filter(({ call }) => shown.includes(call.agent_key));
  const nameWidth = width < 560 ? 0 : 150;
  const inner = Math.max(1, width - nameWidth - 12);
  const x = (share: number) => nameWidth + 4 + share * inner;
  // On a phone the name stands above its lane.
  const lane = nameWidth === 0 ? LANE + 12 : LANE;
  const y = (agent: string) => TOP + shown.indexOf(agent) * lane + lane - BAR - 6;
  const height = TOP + shown.length * lane + AXIS;
  const first = steps[0]?.call;
  const lengthMs = first === undefined ? 0 : spanMs(steps);
  const handOvers = steps.filter(({ handedOverBy }) => handedOverBy !== null).length;
  return (
    <figure className="chart" ref={ref}>
      <svg
        width={width}
        height={height}
        role="img"
        aria-label={`${plural(steps.length, "call")} of ${plural(agents.length, "agent")} in ${duration(lengthMs)}, ${plural(handOvers, "hand-over")}. The table below has each of them.`}
      >
        {shown.map((agent, index) => (
          <g key={agent}>
            <line
              className="chart-grid"
              x1={0}
              x2={width}
              y1={TOP + (index + 1) * lane}
              y2={TOP + (index + 1) * lane}
            />
            <text
              className="chart-label"
              x={0}
              y={nameWidth === 0 ? y(agent) - 8 : y(agent) + BAR / 2}
              dy={nameWidth === 0 ? 0 : "0.35em"}
            >
              <title>{plainName(agent)}</title>
              {shortName(agent, NAME_LETTERS)}
            </text>
          </g>
        ))}
        {drawn.map(({ call, handedOverBy, offset }) =>
          handedOverBy !== null && shown.includes(handedOverBy) ? (
            <path
              key={`${call.id} from`}
              className="session-hand-over"
              d={`M${x(offset)} ${y(handedOverBy) + BAR / 2} L${x(offset)} ${y(call.agent_key) + (y(handedOverBy) < y(call.agent_key) ? 0 : BAR)}`}
            />
          ) : null,
        )}
        {drawn.map(({ call, offset, length }) => (
          <rect
            key={call.id}
            className="session-call"
            data-failed={call.status !== "success" || undefined}
            x={x(offset)}
            y={y(call.agent_key)}
            width={Math.max(3, length * inner)}
            height={BAR}
            rx={2}
            fill={seriesColor(shown.indexOf(call.agent_key), { key: call.agent_key, label: "" })}
            onClick={() => void navigate({ to: "/calls/$callId", params: { callId: call.id } })}
          >
            <title>{`${plainName(call.model)}, ${secondTime(call.created_at)}, ${duration(call.latency_ms)}`}</title>
          </rect>
        ))}
        <text className="chart-label" x={x(0)} y={height - 6}>
          {secondTime(first?.created_at)}
        </text>
        <text className="chart-label" x={width - 8} y={height - 6} textAnchor="end">
          {`+ ${duration(lengthMs)}`}
        </text>
      </svg>
      {(agents.length > shown.length || steps.length > MAX_DRAWN) && (
        <figcaption className="muted">
          Only the first {plural(Math.min(steps.length, MAX_DRAWN), "call")} of{" "}
          {plural(shown.length, "agent")} are drawn; the table has all.
        </figcaption>
      )}
    </figure>
  );
}

function spanMs(steps: readonly SessionStep[]): number {
  const starts = steps.map(({ call }) => Date.parse(call.created_at));
  const ends = steps.map(({ call }) => Date.parse(call.created_at) + call.latency_ms);
  return Math.max(...ends) - Math.min(...starts);
}
