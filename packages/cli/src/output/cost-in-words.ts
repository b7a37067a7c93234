import type { CostExplanation } from "@tollgate/core/contract/explain-cost";
import { showAmount } from "./show-amount.ts";

type Line = CostExplanation["lines"][number];
type Card = CostExplanation["rate_cards"][number];

/** Formats an explanation as a bill: its lines, the sum, the rate cards and their sources. */
export function costInWords(explanation: CostExplanation): string {
  const { event_id, total_microcents, is_unpriced, lines, rate_cards } = explanation;
  return [
    `event ${event_id}`,
    explanation.explanation,
    ...(lines.length === 0 ? [] : ["in microcents ($1 is 10,000,000):"]),
    ...lines.flatMap(line => lineInWords(line, "  ")),
    is_unpriced ? "= unknown: no price is known" : `= ${showAmount(total_microcents)}`,
    ...rate_cards.map(cardInWords),
  ].join("\n");
}

function lineInWords(line: Line, indent: string): string[] {
  switch (line.type) {
    case "usage": {
      const { kind, count, unit, rate_microcents: rate, amount_microcents: amount, model } = line;
      const units = `${unit}${count === 1 ? "" : "s"}`;
      return [
        rate === null
          ? `${indent}${kind}: ${count} ${units}, no price is known  (${model})`
          : `${indent}${kind}: ${count} ${units} × ${rate} = ${amount}  (${model}, ${line.price_version})`,
      ];
    }
    case "reported":
      return [`${indent}reported: ${line.amount_microcents}`];
    case "rounding":
      return [`${indent}rounding: ${line.amount_microcents}`];
    case "unexplained":
      return [`${indent}unexplained: ${line.amount_microcents}`];
    case "adjustment": {
      const { rerated, created_at, price_version, amount_microcents: amount } = line;
      const to = rerated === null ? "" : `, to ${rerated.to_microcents}`;
      return [
        `${indent}rerated on ${created_at} at ${price_version}${to}: ${amount}`,
        ...(rerated?.lines ?? []).flatMap(each => lineInWords(each, `${indent}  `)),
      ];
    }
    default:
      return line satisfies never;
  }
}

function cardInWords(card: Card): string {
  const conditions = [
    card.service_condition === "standard" ? "standard service" : `served as ${card.service_condition}`,
    ...(card.above_input_tokens === null
      ? []
      : [`long context, above ${card.above_input_tokens} input tokens`]),
  ];
  const from = card.effective_from === null ? "the oldest price known" : `from ${card.effective_from} on`;
  return `${card.price_version}: ${card.provider}/${card.model}, source ${card.source}, ${from}; ${conditions.join("; ")}`;
}
