import type { Output } from "../../data/use-operation.ts";
import { Tag } from "../../parts/tag.tsx";
import { inWords } from "./saving-words.ts";
import { endReasonTitles } from "./verification-words.ts";

type Request = Output<"verify.requests.get">;
type Verdict = NonNullable<Request["verdict"]>;

const verdictKinds: Readonly<Record<Verdict["verdict"], "good" | "warning" | "bad">> = {
  holds: "good",
  holds_with_warning: "warning",
  degrades: "bad",
};

export function VerdictTag({ verdict }: { readonly verdict: Verdict }) {
  return (
    <>
      <Tag kind={verdictKinds[verdict.verdict]}>{inWords(verdict.verdict)}</Tag>
      {verdict.freshness !== "current" && (
        <>
          {" "}
          <Tag kind="warning">{verdict.freshness}</Tag>
        </>
      )}
    </>
  );
}

const statusKinds: Readonly<Record<Request["status"], "accent" | "plain" | "good" | "warning">> = {
  queued: "plain",
  collecting: "accent",
  concluded: "good",
  voided: "warning",
  expired: "plain",
};

/** The state of a request, and why it ended without a verdict. */
export function RequestTag({ request }: { readonly request: Request }) {
  const reason = request.end_reason === "verdict" ? null : request.end_reason;
  return (
    <Tag kind={statusKinds[request.status]}>
      {request.status === "expired" ? "no verdict" : request.status}
      {reason !== null && `: ${endReasonTitles[reason]}`}
    </Tag>
  );
}
