import type { Output } from "../../data/use-operation.ts";
import { count } from "../../format/counts.ts";
import { decimalDollars } from "../../format/money.ts";
import { Detail, Details } from "../../parts/details.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Money } from "../../parts/money.tsx";
import { Name } from "../../parts/name.tsx";
import { Tag } from "../../parts/tag.tsx";

type Explanation = Output<"events.cost">;
type Line = Explanation["lines"][number];
type UsageLine = Extract<Line, { type: "usage" }>;
type RateCard = Explanation["rate_cards"][number];

const kindTitles: Readonly<Record<UsageLine["kind"], string>> = {
  input: "Input",
  cache_read: "Cached input",
  cache_write: "Cache write",
  cache_write_1h: "Cache write, longer lifetime",
  input_audio: "Audio input",
  cache_read_audio: "Cached audio input",
  input_image: "Image input",
  cache_read_image: "Cached image input",
  output: "Output",
  reasoning: "Reasoning",
  output_audio: "Audio output",
  output_image: "Image output",
  web_searches: "Web searches",
  file_searches: "File searches",
  violations: "Declined requests",
};

/** Why a call costs what it costs: the lines add up to the total. */
export function Receipt({ explanation }: { readonly explanation: Explanation }) {
  const { lines, rate_cards, total_microcents, is_unpriced, service_tier } = explanation;
  const hasReasoning = lines.some(line => line.type === "usage" && line.kind === "reasoning");
  return (
    <>
      <p className="muted">{explanation.explanation}</p>
      <table className="receipt">
        <thead>
          <tr>
            <th scope="col">Kind</th>
            <th scope="col" className="number">
              Count
            </th>
            <th scope="col" className="number">
              Rate
            </th>
            <th scope="col" className="number">
              Amount
            </th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a receipt does not change.
            <LineRow key={index} line={line} hasReasoning={hasReasoning} />
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row" colSpan={3}>
              Total
            </th>
            <td className="number" data-receipt="total">
              {is_unpriced ? (
                <Tag kind="warning">unpriced</Tag>
              ) : (
                <Money microcents={total_microcents} isFull />
              )}
            </td>
          </tr>
        </tfoot>
      </table>
      {service_tier !== null && rate_cards.every(card => card.service_condition !== service_tier) && (
        <p className="muted">Service tier: {service_tier}</p>
      )}
      {rate_cards.map(card => (
        <RateCardNote key={card.price_version} card={card} />
      ))}
    </>
  );
}

interface LineRowProps {
  readonly line: Line;
  /** Reasoning is a line of its own then, and not part of the output's. */
  readonly hasReasoning: boolean;
}

function LineRow({ line, hasReasoning }: LineRowProps) {
  switch (line.type) {
    case "usage":
      return (
        <tr>
          <th scope="row">
            {line.kind === "output" && hasReasoning ? "Output, without reasoning" : kindTitles[line.kind]}{" "}
            <Name name={line.model} maxLength={32} />
          </th>
          <td className="number">{count(line.count)}</td>
          <td className="number" title={`of one ${line.unit}`}>
            {line.rate_microcents === null ? <Tag kind="warning">no price</Tag> : <Rate line={line} />}
          </td>
          <td className="number" data-receipt="amount">
            {decimalDollars(line.amount_microcents)}
          </td>
        </tr>
      );
    case "adjustment":
      return (
        <PlainRow
          title={
            <>
              Rerated <Moment at={line.created_at} />
            </>
          }
          amount={line.amount_microcents}
        />
      );
    case "reported":
      return <PlainRow title="Reported by the provider" amount={line.amount_microcents} />;
    case "rounding":
      return <PlainRow title="Rounding to whole microcents" amount={line.amount_microcents} />;
    case "unexplained":
      return <PlainRow title="Unexplained: run svc ledger verify" amount={line.amount_microcents} />;
  }
}

/** Prices of models are published per million tokens. */
function Rate({ line: { rate_microcents, unit } }: { readonly line: UsageLine }) {
  if (rate_microcents === null) return null;
  if (unit === "use") return <>{decimalDollars(rate_microcents)} each</>;
  return <>{decimalDollars(timesMillion(rate_microcents))} / 1M</>;
}

/** Exact: moves the decimal point of a decimal number six places. */
function timesMillion(decimal: string): string {
  const [whole = "0", fraction = ""] = decimal.split(".");
  const digits = fraction.padEnd(6, "0");
  const rest = digits.slice(6).replace(/0+$/, "");
  return `${whole}${digits.slice(0, 6)}${rest === "" ? "" : `.${rest}`}`;
}

function PlainRow({ title, amount }: { readonly title: React.ReactNode; readonly amount: string }) {
  return (
    <tr>
      <th scope="row" colSpan={3}>
        {title}
      </th>
      <td className="number" data-receipt="amount">
        {decimalDollars(amount)}
      </td>
    </tr>
  );
}

function RateCardNote({ card }: { readonly card: RateCard }) {
  return (
    <Details className="rate-card">
      <Detail title="Rate card">
        <Name name={card.model} /> ({card.provider})
      </Detail>
      <Detail title="Source">{card.source}</Detail>
      <Detail title="In force since">
        {card.effective_from === null ? "no earlier price known" : `${card.effective_from} (UTC)`}
      </Detail>
      {card.above_input_tokens !== null && (
        <Detail title="Long context">rates above {count(card.above_input_tokens)} input tokens</Detail>
      )}
      <Detail title="Service tier">{card.service_condition}</Detail>
      <Detail title="Version">
        <code>{card.price_version}</code>
      </Detail>
    </Details>
  );
}
