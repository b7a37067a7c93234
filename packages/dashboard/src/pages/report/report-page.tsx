import { useMemo, useState } from "react";
import { useRole } from "../../data/session.tsx";
import { type Output, useChange } from "../../data/use-operation.ts";
import { useOperationPages } from "../../data/use-operation-pages.ts";
import { plainName } from "../../format/name.ts";
import { Actor } from "../../parts/actor.tsx";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import type { Column } from "../../parts/data-table.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Name } from "../../parts/name.tsx";
import { PagedTable } from "../../parts/paged-table.tsx";
import { Empty } from "../../parts/states.tsx";
import { Tag } from "../../parts/tag.tsx";
import { NewReport } from "./new-report.tsx";

type Report = Output<"reports.list">["reports"][number];

/** Reports for people who decide: frozen, shared by a link, revocable. */
export function ReportPage() {
  const { can } = useRole();
  const listed = useOperationPages("reports.list", {});
  const [isMaking, setIsMaking] = useState(false);
  const [revoked, setRevoked] = useState<Report | null>(null);
  const mayRevoke = can("reports.revoke");
  const columns = useMemo(
    () => (mayRevoke ? [...reportColumns, revokeColumn(setRevoked)] : reportColumns),
    [mayRevoke],
  );
  return (
    <Card
      title="Reports"
      note="Spend, savings, verdicts and budgets, frozen as they were. Anyone with a report’s link can read it without signing in; it prints on A4."
      className="table-card report-list"
      actions={
        can("reports.create") && (
          <Button kind="primary" icon="plus" onClick={() => setIsMaking(true)}>
            Create a report
          </Button>
        )
      }
    >
      <PagedTable
        pages={listed}
        label="Reports"
        columns={columns}
        rows={listed.data?.pages.flatMap(({ reports }) => reports)}
        rowKey={({ id }) => id}
        empty={
          <Empty title="No reports yet">
            A report shows what was spent and saved, to somebody who has no account here.
          </Empty>
        }
      />
      {isMaking && <NewReport onClose={() => setIsMaking(false)} />}
      {revoked && <RevokeReport report={revoked} onClose={() => setRevoked(null)} />}
    </Card>
  );
}

const statusKinds = { active: "good", expired: "plain", revoked: "bad" } as const;

const reportColumns: readonly Column<Report>[] = [
  {
    id: "title",
    title: "Title",
    width: "minmax(180px, 2fr)",
    onPhone: "title",
    cell: ({ title }) => <Name name={title} maxLength={100} />,
  },
  {
    id: "status",
    title: "Status",
    width: "minmax(90px, 0.6fr)",
    onPhone: "amount",
    cell: ({ status }) => <Tag kind={statusKinds[status]}>{status === "active" ? "shared" : status}</Tag>,
  },
  {
    id: "created",
    title: "Created",
    width: "minmax(170px, 1.2fr)",
    cell: ({ created_at, created_by }) => (
      <>
        <Moment at={created_at} />{" "}
        <span className="muted">
          by <Actor name={created_by} maxLength={30} />
        </span>
      </>
    ),
  },
  {
    id: "until",
    title: "Until",
    width: "minmax(110px, 0.7fr)",
    cell: ({ revoked_at, expires_at }) => <Moment at={revoked_at ?? expires_at} />,
  },
  {
    id: "hash",
    title: "Fingerprint",
    width: "minmax(130px, 0.8fr)",
    onPhone: "hidden",
    cell: ({ snapshot_hash }) => (
      <span className="report-hash">
        <code title={snapshot_hash}>{snapshot_hash.slice(0, 8)}…</code>
        <CopyButton text={snapshot_hash} label="Copy the fingerprint" />
      </span>
    ),
  },
];

const revokeColumn = (revoke: (report: Report) => void): Column<Report> => ({
  id: "revoke",
  title: "Actions",
  width: "100px",
  cell: report =>
    report.status === "active" && (
      <Button kind="quiet" aria-label={`Revoke ${plainName(report.title)}`} onClick={() => revoke(report)}>
        Revoke
      </Button>
    ),
});

function RevokeReport({ report, onClose }: { readonly report: Report; readonly onClose: () => void }) {
  const revoke = useChange("reports.revoke", {
    refreshes: ["reports.list"],
    done: "Report no longer shared",
    onDone: onClose,
  });
  return (
    <ConfirmDialog
      title={`Stop sharing ${plainName(report.title)}?`}
      action="Revoke"
      isDanger
      isBusy={revoke.isPending}
      onConfirm={() => revoke.mutate({ id: report.id })}
      onClose={onClose}
    >
      <p>Its link answers “not found” from then on. This cannot be undone; you can create a new report.</p>
    </ConfirmDialog>
  );
}
