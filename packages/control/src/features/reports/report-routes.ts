import type { Control } from "../../kernel/context.ts";
import { assetResponse, pageResponse } from "../../pages/page-response.ts";
import { readSharedReport } from "./read-shared-report.ts";
import reportStyle from "./report.css" with { type: "file" };
import { missingReportPage, reportPage } from "./report-page.ts";

/** `/r/{token}`: anyone with the link can read the report. */
export async function answerReportPage(
  control: Pick<Control, "db" | "now">,
  token: string,
): Promise<Response> {
  const report = await readSharedReport(control, token);
  return report === null ? pageResponse(missingReportPage(), 404) : pageResponse(reportPage(report));
}

export function reportStylesheet(): Response {
  return assetResponse(Bun.file(reportStyle), "text/css; charset=utf-8");
}
