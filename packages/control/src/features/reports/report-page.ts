import type { Envelope } from "@tollgate/core/contract/fields/envelope";
import { escapeHtml } from "@tollgate/core/wire/escape-html";
import type { ReportSnapshot } from "./freeze-report.ts";
import type { SharedReport } from "./read-shared-report.ts";

const UNKNOWN = "unknown";

/** A shared report as a page that also prints. Its texts come from users, so all of them are escaped. */
export function reportPage(report: SharedReport): string {
  const { snapshot } = report;
  const mode = snapshot.mode === "test" ? `<p class="mode">Test traffic</p>` : "";
  return frame(
    `${snapshot.title} · ${snapshot.organization}`,
    `<header>
<p class="organization">${escapeHtml(snapshot.organization)}</p>
<h1>${escapeHtml(snapshot.title)}</h1>
<p class="period">${day(snapshot.period.from)} to ${day(snapshot.period.to)}</p>
${mode}
</header>
${figures(snapshot)}
${section("Spend by agent", byAgent(snapshot))}
${section("Spend by model", byModel(snapshot))}
${section("Savings of applied optimizations", savings(snapshot))}
${section("Verdicts on model switches", verdicts(snapshot))}
${section("Budgets", budgets(snapshot))}
<section class="methodology">
<h2>How it was computed</h2>
<ul>
${snapshot.methodology.map(step => `<li>${escapeHtml(step)}</li>`).join("\n")}
</ul>
</section>
<footer>
<dl>
<dt>Made</dt><dd>${moment(snapshot.generated_at)}</dd>
<dt>Link expires</dt><dd>${moment(report.expires_at)}</dd>
<dt>Methodology</dt><dd>${escapeHtml(report.methodology_version)}</dd>
<dt>SHA-256</dt><dd><code>${escapeHtml(report.snapshot_hash)}</code></dd>
</dl>
</footer>`,
  );
}

/** The same for a token that is unknown, expired or revoked. */
export function missingReportPage(): string {
  return frame(
    "No such report",
    `<header>
<h1>There is no such report</h1>
<p class="period">The link is wrong, has expired, or is no longer shared.</p>
</header>`,
  );
}

function frame(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<link rel="stylesheet" href="/report/page.css">
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
}

function figures({ headline }: ReportSnapshot): string {
  const named = [
    ["Measured spend", headline.measured_spend],
    ["Attributed savings", headline.attributed_savings],
    ["Verified savings", headline.verified_savings],
  ] as const;
  const cards = named.map(
    ([name, { amount, basis, tone, provenance }]) => `<article class="figure ${escapeHtml(tone)}">
<h2>${name}</h2>
<p class="amount">${dollars(amount)}</p>
<p class="interval">${interval(amount)}</p>
<p class="basis">${escapeHtml(basis)}.</p>
<p class="basis">${whole(provenance.calls)} calls; ${whole(provenance.left_out_calls)} left out.</p>
</article>`,
  );
  return `<div class="figures">\n${cards.join("\n")}\n</div>`;
}

function byAgent({ spend_by_agent: lines }: ReportSnapshot): string {
  const names = { other_agents: "All other agents", verifications: "Verifications" } as const;
  return table(
    ["Agent", "#Calls", "#Unpriced", "#Spend"],
    lines.map(line => [
      line.kind === "agent" ? escapeHtml(line.agent ?? UNKNOWN) : names[line.kind],
      whole(line.calls),
      whole(line.unpriced_calls),
      dollars(line.spend),
    ]),
  );
}

function byModel({ spend_by_model: lines }: ReportSnapshot): string {
  return table(
    ["Model", "#Calls", "#Unpriced", "#Spend"],
    lines.map(line => [
      line.model === null ? "All other models" : escapeHtml(`${line.provider}/${line.model}`),
      whole(line.calls),
      whole(line.unpriced_calls),
      dollars(line.spend),
    ]),
  );
}

function savings({ savings: lines }: ReportSnapshot): string {
  return table(
    ["Agent", "Optimization", "Applied", "#Calls", "#Saved"],
    lines.map(line => [
      escapeHtml(line.agent),
      escapeHtml(
        line.to_model === null
          ? line.optimization_type.replaceAll("_", " ")
          : `${line.from_model} → ${line.to_model}`,
      ),
      `${day(line.applied_at)}${line.undone_at === null ? "" : `, undone ${day(line.undone_at)}`}`,
      whole(line.calls),
      line.saved.value === null ? `— (${whyUnknown(line)})` : dollars(line.saved),
    ]),
  );
}

function whyUnknown({ optimization_type: type }: ReportSnapshot["savings"][number]): string {
  return type === "model_switch" ? "no known price" : "not measured";
}

function verdicts({ verdicts: lines }: ReportSnapshot): string {
  return table(
    ["Agent", "Switch", "Verdict", "#Pairs", "#Mean score", "#Saved per call"],
    lines.map(line => [
      line.agent === null ? "All agents" : escapeHtml(line.agent),
      escapeHtml(`${line.prod_model} → ${line.candidate_model}`),
      `${escapeHtml(line.verdict.replaceAll("_", " "))}${line.is_in_force ? "" : ", expired"}`,
      whole(line.pairs),
      score(line.mean_score),
      dollars(line.saving_per_call),
    ]),
  );
}

function budgets({ budgets: lines }: ReportSnapshot): string {
  return table(
    ["Budget of", "Period", "Mode", "#Unpriced", "#Spent", "#Limit"],
    lines.map(line => [
      line.agent === null ? "The whole organization" : escapeHtml(line.agent),
      escapeHtml(line.period),
      `${escapeHtml(line.enforcement_mode.replaceAll("_", " "))}${line.is_paused ? ", paused" : ""}`,
      line.unpriced_calls === undefined ? UNKNOWN : whole(line.unpriced_calls),
      dollars(line.spent),
      dollars(line.limit),
    ]),
  );
}

function section(title: string, content: string | null): string {
  return `<section>\n<h2>${title}</h2>\n${content ?? `<p class="none">None.</p>`}\n</section>`;
}

/** Cells are HTML. A column whose name begins with # holds numbers. */
function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return `<p class="none">None in this period.</p>`;
  const kind = columns.map(name => (name.startsWith("#") ? ` class="number"` : ""));
  const head = columns.map((name, index) => `<th scope="col"${kind[index]}>${name.replace("#", "")}</th>`);
  const body = rows.map(
    row => `<tr>${row.map((cell, index) => `<td${kind[index]}>${cell}</td>`).join("")}</tr>`,
  );
  return `<div class="wide"><table>\n<thead><tr>${head.join("")}</tr></thead>\n<tbody>\n${body.join("\n")}\n</tbody>\n</table></div>`;
}

function dollars({ value }: Envelope): string {
  return value === null ? UNKNOWN : inDollars(value);
}

/** Cents where there are some; smaller amounts with all their digits. */
function inDollars(microDollars: number): string {
  const amount = Math.abs(microDollars) / 1_000_000;
  const digits = amount === 0 || amount >= 1 ? 2 : 6;
  const text = amount.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: digits });
  return `${microDollars < 0 ? "−" : ""}$${text}`;
}

function interval({ ci_low: low, ci_high: high }: Envelope): string {
  return low === null || high === null ? "" : `95% interval: ${inDollars(low)} to ${inDollars(high)}`;
}

function score({ value, ci_low: low, ci_high: high }: Envelope): string {
  if (value === null) return UNKNOWN;
  const ends = low === null || high === null ? "" : ` (${low.toFixed(2)} to ${high.toFixed(2)})`;
  return `${value.toFixed(2)}${ends}`;
}

function whole({ value }: Envelope): string {
  return value === null ? UNKNOWN : value.toLocaleString("en-US");
}

function day(time: string): string {
  return escapeHtml(time.slice(0, 10));
}

function moment(time: string): string {
  return escapeHtml(`${time.slice(0, 10)} ${time.slice(11, 16)} UTC`);
}
