import { MICROCENTS_PER_CENT } from "@tollgate/core/money/money";
import { useAgentName } from "../../data/use-agent-name.ts";
import { type Output, useOperation } from "../../data/use-operation.ts";
import { plural } from "../../format/counts.ts";
import { Card } from "../../parts/card.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Money } from "../../parts/money.tsx";
import { Name } from "../../parts/name.tsx";
import { Stat } from "../../parts/stat.tsx";
import { Loaded } from "../../parts/states.tsx";

type Summary = Output<"optimizations.summary">;
type Applied = Summary["applied"][number];

const SHOWN = 5;

/** Savings of the changes in force, and further possible savings. */
export function Savings() {
  const query = useOperation("optimizations.summary", {});
  return (
    <Card title="Savings">
      <Loaded query={query}>{summary => <Figures summary={summary} />}</Loaded>
    </Card>
  );
}

function Figures({ summary }: { readonly summary: Summary }) {
  const { applied, suggestion_count, suggestions_included, total_savings_cents, top_suggestion } = summary;
  const known = applied.flatMap(({ saved_microcents }) =>
    saved_microcents === null ? [] : [saved_microcents],
  );
  const possible = suggestions_included ? Math.round(total_savings_cents * MICROCENTS_PER_CENT) : null;
  const saved = known.length === 0 ? null : known.reduce((sum, one) => sum + one, 0);
  return (
    <>
      <dl className="stats">
        <Stat
          label="Saved so far"
          name="saved"
          value={<Money microcents={saved} />}
          note={
            applied.length === 0
              ? "no change is in force"
              : `by ${known.length} of ${plural(applied.length, "change")} in force`
          }
        />
        <Stat
          label="Possible each month"
          name="possible"
          value={<Money microcents={possible} />}
          note={
            suggestions_included ? plural(suggestion_count, "suggestion") : "available from the Lite tier"
          }
        />
      </dl>
      {top_suggestion !== null && <p className="muted overview-line">Next: {top_suggestion}</p>}
      {applied.length > 0 && (
        <ul className="overview-list">
          {applied.slice(0, SHOWN).map(one => (
            <AppliedRow key={one.optimization_id} applied={one} />
          ))}
        </ul>
      )}
    </>
  );
}

const changeTitles: Readonly<Record<Applied["type"], string>> = {
  model_switch: "calls go to",
  token_guardrails: "has an output limit",
  prompt_caching: "caches its prompts",
};

function AppliedRow({
  applied: { agent_id, type, model, applied_at, saved_microcents },
}: {
  readonly applied: Applied;
}) {
  const name = useAgentName(agent_id);
  return (
    <li>
      <p>
        {name === null ? "An agent" : <Name name={name} maxLength={40} />} {changeTitles[type]}{" "}
        {model !== null && <Name name={model} maxLength={40} />}{" "}
        <span className="muted">
          since <Moment at={applied_at} />
        </span>
      </p>
      <Money microcents={saved_microcents} />
    </li>
  );
}
