import { useNavigate, useSearch } from "@tanstack/react-router";
import { type Output, useOperation } from "../../data/use-operation.ts";
import { plural } from "../../format/counts.ts";
import { dollars } from "../../format/money.ts";
import { Card } from "../../parts/card.tsx";
import { ChoiceField } from "../../parts/field.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Loaded } from "../../parts/states.tsx";
import { Estimate } from "./estimate.tsx";
import { DEFAULT_DAYS, headlineWindows, readHeadlineDays } from "./headline-days.ts";

type Figure = Output<"loop_views.headline">["measured_spend"];

const MICROCENTS_PER_MICRODOLLAR = 10;

/** Spend and savings, with the evidence for them. */
export function Headline() {
  const { days = DEFAULT_DAYS } = useSearch({ strict: false, select: readHeadlineDays });
  const navigate = useNavigate();
  const query = useOperation("loop_views.headline", { days });
  return (
    <Card
      title="Savings, and the evidence for them"
      note={
        query.data && (
          <>
            <Moment at={query.data.period.from} /> to <Moment at={query.data.period.to} />
          </>
        )
      }
      actions={
        <ChoiceField
          isLabelHidden
          label="Days"
          value={`${days}`}
          options={headlineWindows.map(one => ({ value: `${one}`, label: `Last ${one} days` }))}
          onChange={chosen => {
            const { days } = readHeadlineDays({ days: chosen });
            void navigate({ to: "/savings", search: before => ({ ...before, days }), replace: true });
          }}
        />
      }
    >
      <Loaded query={query}>
        {({ measured_spend, attributed_savings, verified_savings }) => (
          <dl className="stats headline-figures">
            <HeadlineFigure label="Spend" name="measured" figure={measured_spend} />
            <HeadlineFigure label="Saved by changes" name="attributed" figure={attributed_savings} />
            <HeadlineFigure label="Of which verified" name="verified" figure={verified_savings} />
          </dl>
        )}
      </Loaded>
    </Card>
  );
}

interface HeadlineFigureProps {
  readonly label: string;
  readonly name: string;
  readonly figure: Figure;
}

function HeadlineFigure({ label, name, figure }: HeadlineFigureProps) {
  const { calls, left_out_calls: leftOut, source } = figure.provenance;
  return (
    <div className="stat">
      <dt className="muted">{label}</dt>
      <dd className="stat-value" data-stat={name}>
        <Estimate
          of={figure.amount}
          format={amount => dollars(Math.round(amount * MICROCENTS_PER_MICRODOLLAR))}
        />
      </dd>
      <dd className="stat-note muted">
        {figure.basis}. {source}
        {calls.value !== null && `; ${plural(calls.value, "call")}`}
        {leftOut.value !== null &&
          leftOut.value > 0 &&
          `, ${plural(leftOut.value, "call")} of unknown cost left out`}
        .
      </dd>
    </div>
  );
}
