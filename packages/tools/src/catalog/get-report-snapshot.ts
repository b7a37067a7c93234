import { reportOperations } from "@tollgate/core/contract/reports";
import { z } from "zod";
import { microDollars } from "../format-micro-dollars.ts";
import { listLines } from "../list-lines.ts";
import { quoted } from "../quoted.ts";
import { reads, tool } from "../tool.ts";

export const getReportSnapshot = tool({
  name: "svc_get_report_snapshot",
  domain: "Loop metrics",
  title: "Report snapshot",
  description:
    "A shared executive report by its share token, exactly as it was frozen: headline, spend by agent and model, savings, verdicts, budgets, methodology, with snapshot_hash and methodology_version. It is never recomputed. Amounts are micro-dollars in envelopes. Not for present numbers: svc_get_dashboard_headline, svc_get_cost_summary.",
  input: z.strictObject({
    share_token: z
      .string()
      .regex(/^[0-9a-fA-F]{16,64}$/, "must be 16 to 64 hex characters")
      .meta({ description: "Shown when the report was made: 16 to 64 hex characters" }),
  }),
  output: reportOperations["reports.read"].output,
  annotations: reads,
  run: (call, { share_token }) => call("reports.read", { id: share_token.toLowerCase() }),
  render({ snapshot, snapshot_hash, methodology_version }) {
    const { headline, period } = snapshot;
    const amount = (value: number | null) => (value === null ? "unknown" : microDollars(value));
    return [
      `${quoted(snapshot.title)} of ${quoted(snapshot.organization)}, ${period.from} to ${period.to}, frozen ${snapshot.generated_at}: spend ${amount(headline.measured_spend.amount.value)}, attributed savings ${amount(headline.attributed_savings.amount.value)}, of which verified ${amount(headline.verified_savings.amount.value)}.`,
      ...listLines(
        snapshot.spend_by_agent,
        line =>
          `${line.agent === null ? line.kind.replaceAll("_", " ") : quoted(line.agent)}: ${amount(line.spend.value)}`,
        10,
      ),
      `Hash ${snapshot_hash}, methodology ${methodology_version}.`,
    ].join("\n");
  },
});
