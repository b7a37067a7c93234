import type { CostBasis, EventStatus } from "@tollgate/core/event";
import { Tag } from "../../parts/tag.tsx";

interface TaggedCall {
  readonly status: EventStatus;
  readonly http_status: number | null;
  readonly error_code: string | null;
  readonly is_unpriced: boolean;
  readonly cost_basis: CostBasis;
}

const statusKinds: Readonly<Record<EventStatus, "good" | "bad" | "warning">> = {
  success: "good",
  error: "bad",
  timeout: "bad",
  cancelled: "warning",
  interrupted: "warning",
};

export function StatusTag({ event: { status, http_status, error_code } }: { readonly event: TaggedCall }) {
  const details = [http_status, error_code].filter(detail => detail !== null).join(" ");
  return (
    <Tag kind={statusKinds[status]} {...(details === "" ? {} : { title: details })}>
      {status}
      {status === "error" && http_status !== null && ` ${http_status}`}
    </Tag>
  );
}

const basisTitles: Readonly<Record<CostBasis, string>> = {
  priced: "Tokens × rates of the price list",
  reported: "The amount that the provider reported",
  estimated: "Tokens were counted here, because the provider reported none",
  unpriced: "No price is known for this model: the cost is unknown, not 0",
};

/** Origin of the cost. */
export function BasisTag({ event }: { readonly event: TaggedCall }) {
  // A call that was unpriced, but is no longer, was rerated.
  const basis = event.is_unpriced
    ? "unpriced"
    : event.cost_basis === "unpriced"
      ? "priced"
      : event.cost_basis;
  return (
    <Tag kind={basis === "unpriced" ? "warning" : "plain"} title={basisTitles[basis]}>
      {basis}
    </Tag>
  );
}
