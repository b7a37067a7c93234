import { Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useRole } from "../../data/session.tsx";
import { useChange } from "../../data/use-operation.ts";
import { useOperationPages } from "../../data/use-operation-pages.ts";
import { count, plural } from "../../format/counts.ts";
import { plainName } from "../../format/name.ts";
import { Actor } from "../../parts/actor.tsx";
import { Button, IconButton } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import type { Column } from "../../parts/data-table.tsx";
import { CheckField } from "../../parts/field.tsx";
import { Menu, MenuItem } from "../../parts/menu.tsx";
import { Moment } from "../../parts/moment.tsx";
import { CostSum } from "../../parts/money.tsx";
import { Name } from "../../parts/name.tsx";
import { PagedTable } from "../../parts/paged-table.tsx";
import { Empty } from "../../parts/states.tsx";
import { Tag } from "../../parts/tag.tsx";
import { callsSearch } from "../calls/calls-search.ts";
import { useIsInDemo } from "../first-run/demo-data.tsx";
import type { Key } from "./key.ts";
import { NewKey } from "./new-key.tsx";
import { RotateKey } from "./rotate-key.tsx";

type Open = { readonly what: "create" } | { readonly what: "rotate" | "revoke"; readonly key: Key };

/** API keys with what was called with them. */
export function Keys() {
  const { can } = useRole();
  const listed = useOperationPages("keys.list", {});
  const [open, setOpen] = useState<Open | null>(null);
  const [showsRevoked, setShowsRevoked] = useState(false);
  const all = listed.data?.pages.flatMap(({ keys }) => keys);
  const rows = useMemo(
    () => all?.filter(({ revoked_at }) => showsRevoked || revoked_at === null),
    [all, showsRevoked],
  );
  const hidden = all === undefined || rows === undefined ? 0 : all.length - rows.length;
  const isInDemo = useIsInDemo();
  const canCreate = can("keys.create") && !isInDemo;
  const canRevoke = can("keys.revoke");
  const columns = useMemo(
    () => (canRevoke ? [...keyColumns, actionsColumn(setOpen, canCreate)] : keyColumns),
    [canRevoke, canCreate],
  );
  return (
    <Card
      title="API keys"
      note="Calls and spend cover your tier’s history. Requests to the web API are not calls."
      className="table-card developers-keys"
      actions={
        <>
          {(hidden > 0 || showsRevoked) && (
            <CheckField label="Show revoked keys" isChecked={showsRevoked} onChange={setShowsRevoked} />
          )}
          {canCreate && (
            <Button kind="primary" icon="plus" onClick={() => setOpen({ what: "create" })}>
              Create a key
            </Button>
          )}
        </>
      }
    >
      <PagedTable
        pages={listed}
        label="API keys"
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
        sorting={{ id: "created", desc: true }}
        empty={
          <Empty title="No active key">
            {isInDemo ? "A demo has no keys for clients." : "A client needs one to make calls."}
            {hidden > 0 && ` ${plural(hidden, "revoked key")} not shown.`}
          </Empty>
        }
      />
      {open?.what === "create" && <NewKey onClose={() => setOpen(null)} />}
      {open?.what === "rotate" && <RotateKey replaced={open.key} onClose={() => setOpen(null)} />}
      {open?.what === "revoke" && <RevokeKey revoked={open.key} onClose={() => setOpen(null)} />}
    </Card>
  );
}

const nameOf = ({ name, last_four }: Key) => (name === null ? `key ending in ${last_four}` : plainName(name));

const keyColumns: readonly Column<Key>[] = [
  {
    id: "name",
    title: "Name",
    width: "minmax(140px, 1.4fr)",
    onPhone: "title",
    value: nameOf,
    cell: key => (
      <span className="developers-key-name">
        {key.name === null ? <span className="muted">no name</span> : <Name name={key.name} maxLength={60} />}
        {key.revoked_at !== null && <Tag kind="bad">revoked</Tag>}
      </span>
    ),
  },
  {
    id: "key",
    title: "Key",
    width: "minmax(130px, 0.9fr)",
    value: ({ mode, last_four }) => `${mode} ${last_four}`,
    cell: ({ mode, last_four }) => (
      <code>
        sk_{mode}_…{last_four}
      </code>
    ),
  },
  {
    id: "scope",
    title: "Access",
    width: "minmax(80px, 0.5fr)",
    value: ({ scope }) => scope,
    cell: ({ scope }) => (scope === "read" ? "read only" : "full"),
  },
  {
    id: "created",
    title: "Created",
    width: "minmax(150px, 1.2fr)",
    value: ({ created_at }) => created_at,
    cell: ({ created_at, created_by }) => (
      <>
        <Moment at={created_at} />
        {created_by !== null && (
          <span className="muted">
            {" "}
            by <Actor name={created_by} maxLength={30} />
          </span>
        )}
      </>
    ),
  },
  {
    id: "used",
    title: "Last used",
    width: "minmax(90px, 0.7fr)",
    value: ({ last_used_at }) => last_used_at,
    cell: ({ last_used_at }) =>
      last_used_at === null ? <span className="muted">never</span> : <Moment at={last_used_at} as="ago" />,
  },
  {
    id: "calls",
    title: "Calls",
    isNumber: true,
    width: "minmax(70px, 0.5fr)",
    value: ({ calls }) => calls,
    cell: ({ id, mode, calls }) => (
      <Link
        to="/calls"
        search={before => ({
          ...callsSearch({ key: id })(before),
          mode,
          range: "90d" as const,
        })}
      >
        {count(calls)}
      </Link>
    ),
  },
  {
    id: "spend",
    title: "Spend",
    isNumber: true,
    width: "minmax(216px, 0.7fr)",
    onPhone: "amount",
    value: ({ spend_microcents }) => spend_microcents,
    cell: key => <CostSum microcents={key.spend_microcents} unpricedCalls={key.unpriced_calls} />,
  },
];

function actionsColumn(open: (what: Open) => void, canRotate: boolean): Column<Key> {
  return {
    id: "actions",
    title: "Actions",
    width: "64px",
    cell: key =>
      key.revoked_at === null && (
        <Menu align="end" trigger={<IconButton icon="more" label={`Actions for ${nameOf(key)}`} />}>
          {canRotate && <MenuItem onSelect={() => open({ what: "rotate", key })}>Rotate…</MenuItem>}
          <MenuItem isDanger onSelect={() => open({ what: "revoke", key })}>
            Revoke…
          </MenuItem>
        </Menu>
      ),
  };
}

function RevokeKey({ revoked, onClose }: { readonly revoked: Key; readonly onClose: () => void }) {
  const revoke = useChange("keys.revoke", {
    refreshes: ["keys.list"],
    done: "Key revoked",
    onDone: onClose,
  });
  return (
    <ConfirmDialog
      title={`Revoke ${nameOf(revoked)}?`}
      action="Revoke"
      isDanger
      isBusy={revoke.isPending}
      onConfirm={() => revoke.mutate({ id: revoked.id })}
      onClose={onClose}
    >
      <p>
        Clients that still use <code>{`sk_${revoked.mode}_…${revoked.last_four}`}</code> are refused within a
        second. This cannot be undone. Last used: <Moment at={revoked.last_used_at} as="ago" />.
      </p>
    </ConfirmDialog>
  );
}
