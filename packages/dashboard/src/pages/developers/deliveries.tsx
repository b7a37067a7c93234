import { useState } from "react";
import { useRole } from "../../data/session.tsx";
import { type Output, useChange, useOperation } from "../../data/use-operation.ts";
import { useOperationPages } from "../../data/use-operation-pages.ts";
import { plural } from "../../format/counts.ts";
import { duration } from "../../format/time.ts";
import { Button } from "../../parts/button.tsx";
import { CodeBlock } from "../../parts/code-block.tsx";
import type { Column } from "../../parts/data-table.tsx";
import { ChoiceField } from "../../parts/field.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Name } from "../../parts/name.tsx";
import { PagedTable } from "../../parts/paged-table.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { Tag } from "../../parts/tag.tsx";
import { ReplayRange } from "./replay-range.tsx";

type Delivery = Output<"webhooks.deliveries.list">["deliveries"][number];
type Status = Delivery["status"];

const statusKinds: Readonly<Record<Status, "good" | "bad" | "warning" | "plain">> = {
  delivered: "good",
  failed: "bad",
  pending: "warning",
  cancelled: "plain",
};
const statuses = Object.keys(statusKinds) as Status[];
const choices = [
  { value: "all", label: "All" },
  ...statuses.map(status => ({ value: status, label: status })),
] as const;

/** Not one whose next attempt is hours away. */
const isDue = ({ next_attempt_at: next }: Pick<Delivery, "next_attempt_at">) =>
  next !== null && Date.parse(next) < Date.now() + 5000;

/** Deliveries to a webhook, with every attempt. */
export function Deliveries({ webhookId }: { readonly webhookId: string }) {
  const { can } = useRole();
  const [status, setStatus] = useState<Status | "all">("all");
  const [openId, setOpenId] = useState<string | null>(null);
  const [isReplaying, setIsReplaying] = useState(false);
  const listed = useOperationPages(
    "webhooks.deliveries.list",
    { id: webhookId, ...(status === "all" ? {} : { status }) },
    { isUnfinished: ({ deliveries }) => deliveries.some(isDue) },
  );
  return (
    <section className="panel-part" aria-labelledby="deliveries-title">
      <div className="toolbar">
        <h3 id="deliveries-title">Deliveries</h3>
        {can("webhooks.replay") && <Button onClick={() => setIsReplaying(true)}>Replay a time range</Button>}
      </div>
      <ChoiceField label="Status" value={status} options={choices} onChange={setStatus} />
      {openId !== null && <OpenDelivery id={openId} onClose={() => setOpenId(null)} />}
      <PagedTable
        pages={listed}
        label="Deliveries"
        columns={columns}
        rows={listed.data?.pages.flatMap(({ deliveries }) => deliveries)}
        rowKey={({ id }) => id}
        openKey={openId ?? undefined}
        onOpen={({ id }) => setOpenId(id)}
        empty={<Empty title="Nothing sent yet">Deliveries are kept for 30 days after they end.</Empty>}
      />
      {isReplaying && <ReplayRange webhookId={webhookId} onClose={() => setIsReplaying(false)} />}
    </section>
  );
}

const columns: readonly Column<Delivery>[] = [
  {
    id: "kind",
    title: "Event",
    width: "minmax(130px, 1.2fr)",
    onPhone: "title",
    cell: ({ id, kind }) => <span data-delivery={id}>{kind}</span>,
  },
  {
    id: "status",
    title: "Status",
    width: "minmax(90px, 0.8fr)",
    onPhone: "amount",
    cell: ({ status, last_error }) => (
      <Tag kind={statusKinds[status]} {...(last_error === null ? {} : { title: last_error })}>
        {status}
      </Tag>
    ),
  },
  {
    id: "http",
    title: "HTTP",
    isNumber: true,
    width: "minmax(56px, 0.4fr)",
    cell: ({ last_http_status }) => <span className="figure">{last_http_status ?? "–"}</span>,
  },
  {
    id: "attempts",
    title: "Tries",
    isNumber: true,
    width: "minmax(52px, 0.4fr)",
    cell: ({ attempts }) => <span className="figure">{attempts}</span>,
  },
  {
    id: "created",
    title: "Time",
    width: "minmax(100px, 0.8fr)",
    cell: ({ created_at }) => <Moment at={created_at} />,
  },
];

function OpenDelivery({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const { can } = useRole();
  const delivery = useOperation("webhooks.deliveries.get", { id }, { isUnfinished: isDue });
  const replay = useChange("webhooks.deliveries.replay", {
    refreshes: ["webhooks.deliveries.get", "webhooks.deliveries.list"],
    done: "Delivery queued again",
  });
  return (
    <div className="developers-delivery" data-open-delivery={id}>
      <div className="toolbar">
        <span className="mono developers-id">{id}</span>
        <span className="card-actions">
          {can("webhooks.deliveries.replay") && delivery.data?.status !== "pending" && (
            <Button isBusy={replay.isPending} onClick={() => replay.mutate({ id })}>
              Replay
            </Button>
          )}
          <Button kind="quiet" onClick={onClose}>
            Close
          </Button>
        </span>
      </div>
      <Loaded query={delivery}>
        {({ body, attempt_log, next_attempt_at }) => (
          <>
            <p className="muted">
              {plural(attempt_log.length, "attempt")}
              {next_attempt_at !== null && (
                <>
                  , next <Moment at={next_attempt_at} as="second" />
                </>
              )}
            </p>
            <ol className="developers-attempts">
              {attempt_log.map(({ number, started_at, duration_ms, http_status, error, answer }) => (
                <li key={number}>
                  <Tag kind={error === null ? "good" : "bad"}>
                    {http_status === null ? "no answer" : `HTTP ${http_status}`}
                  </Tag>{" "}
                  <Moment at={started_at} as="full" />, {duration(duration_ms)}
                  {error !== null && (
                    <>
                      {" "}
                      · <Name name={error} maxLength={200} />
                    </>
                  )}
                  {answer !== null && answer !== "" && (
                    <p className="muted">
                      answered: <Name name={answer} maxLength={300} />
                    </p>
                  )}
                </li>
              ))}
            </ol>
            <CodeBlock title="the body, as signed" text={body} />
          </>
        )}
      </Loaded>
    </div>
  );
}
