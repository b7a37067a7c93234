import { MICROCENTS_PER_CENT } from "@tollgate/core/money/money";
import { type Output, useOperation } from "../../data/use-operation.ts";
import { plural } from "../../format/counts.ts";
import { Card } from "../../parts/card.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Money } from "../../parts/money.tsx";
import { Name } from "../../parts/name.tsx";
import { Stat } from "../../parts/stat.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { Tag } from "../../parts/tag.tsx";
import { outcomeValueOf } from "./outcome-value-of.ts";

const MAX_SHOWN = 200;

interface ValueStatsProps {
  readonly sessionId: string;
  readonly session: Output<"sessions.get">;
}

/** Value of the session, and what is left of it after its cost. */
export function ValueStats({ sessionId, session }: ValueStatsProps) {
  const { data } = useOperation("outcomes.list", { session_id: sessionId, limit: MAX_SHOWN });
  const value = data && (data.next_cursor === null ? outcomeValueOf(data.outcomes) : null);
  const isCostKnown = session.unpriced_calls === 0;
  const margin =
    value === undefined ? undefined : value === null || !isCostKnown ? null : value - session.cost_microcents;
  return (
    <>
      <Stat
        label="Value"
        name="value"
        value={value === undefined ? undefined : <Money microcents={value} />}
        note={
          data &&
          (data.outcomes.length === 0 ? "no outcome reported" : plural(data.outcomes.length, "outcome"))
        }
      />
      <Stat
        label="Value minus cost"
        name="margin"
        value={margin === undefined ? undefined : <Money microcents={margin} />}
        note={isCostKnown ? undefined : "part of the cost is unknown"}
      />
    </>
  );
}

export function SessionOutcomes({ sessionId }: { readonly sessionId: string }) {
  const query = useOperation("outcomes.list", { session_id: sessionId, limit: MAX_SHOWN });
  return (
    <Card title="Outcomes">
      <Loaded query={query}>
        {({ outcomes }) =>
          outcomes.length === 0 ? (
            <Empty title="No outcome was reported for this session" />
          ) : (
            <ul className="rows">
              {outcomes.map(outcome => (
                <li key={outcome.id}>
                  <div className="row-line">
                    <p>
                      <Name name={outcome.name} maxLength={60} />{" "}
                      {outcome.outcome_type !== null && <Tag>{outcome.outcome_type}</Tag>}{" "}
                      {outcome.success === false && (
                        <Tag kind="bad" title="Counts as zero in every sum">
                          failed
                        </Tag>
                      )}{" "}
                      <span className="muted">
                        <Moment at={outcome.created_at} />
                      </span>
                    </p>
                    <Money
                      microcents={
                        outcome.value_cents === null ? null : outcome.value_cents * MICROCENTS_PER_CENT
                      }
                    />
                  </div>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}
