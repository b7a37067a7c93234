import { useState } from "react";
import type { Output } from "../../data/use-operation.ts";
import { useOperationPages } from "../../data/use-operation-pages.ts";
import { count, plural } from "../../format/counts.ts";
import { Actor } from "../../parts/actor.tsx";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { CodeBlock } from "../../parts/code-block.tsx";
import type { Column } from "../../parts/data-table.tsx";
import { Detail, Details } from "../../parts/details.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/field.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Name } from "../../parts/name.tsx";
import { PagedTable } from "../../parts/paged-table.tsx";
import { Empty } from "../../parts/states.tsx";

type Entry = Output<"audit.list">["entries"][number];

/** Changes of the organization, each with author, time and client. */
export function AuditLog() {
  const [filter, setFilter] = useState({ actor: "", operation: "" });
  const [actor, setActor] = useState("");
  const [operation, setOperation] = useState("");
  const [open, setOpen] = useState<Entry | null>(null);
  const listed = useOperationPages("audit.list", {
    ...(filter.actor === "" ? {} : { actor: filter.actor }),
    ...(filter.operation === "" ? {} : { operation: filter.operation }),
  });
  return (
    <Card
      title="Audit log"
      note="Every change, live and test: who made it, from where, before and after. Secrets are never recorded."
      className="table-card settings-audit"
    >
      <form
        className="settings-filter"
        onSubmit={event => {
          event.preventDefault();
          setFilter({ actor: actor.trim(), operation: operation.trim() });
        }}
      >
        <TextField
          label="Who"
          value={actor}
          onChange={setActor}
          placeholder="e-mail address, key id or cli"
        />
        <TextField label="What" value={operation} onChange={setOperation} placeholder="keys.create" />
        <Button type="submit">Filter</Button>
      </form>
      <PagedTable
        pages={listed}
        label="Audit log"
        columns={columns}
        rows={listed.data?.pages.flatMap(({ entries }) => entries)}
        rowKey={({ id }) => id}
        isMain
        onOpen={setOpen}
        empty={<Empty title="No changes recorded" />}
      />
      {open && <OpenEntry entry={open} onClose={() => setOpen(null)} />}
    </Card>
  );
}

const clientNames = { browser: "browser", command_line: "command line", program: "program" } as const;

const originOf = ({ origin: { ip, client } }: Entry) =>
  [client === null ? null : clientNames[client], ip].filter(part => part !== null).join(", ") || "–";

const actorName = ({ kind, name }: Entry["actor"]) => (kind === "key" ? `key ${name}` : name);

const columns: readonly Column<Entry>[] = [
  {
    id: "time",
    title: "Time",
    width: "minmax(110px, 0.7fr)",
    cell: ({ created_at }) => <Moment at={created_at} />,
  },
  {
    id: "actor",
    title: "Who",
    width: "minmax(160px, 1.3fr)",
    cell: ({ actor }) => <Actor name={actorName(actor)} maxLength={50} />,
  },
  {
    id: "operation",
    title: "What",
    width: "minmax(186px, 1.2fr)",
    onPhone: "title",
    cell: ({ operation }) => <Name name={operation} maxLength={60} />,
  },
  {
    id: "changes",
    title: "Changes",
    width: "minmax(184px, 0.8fr)",
    cell: ({ object, changes, omitted_changes }) => {
      const all = changes.length + omitted_changes;
      if (all === 0) return <span className="muted">none</span>;
      return (
        <>
          <Name name={object ?? "–"} maxLength={30} />
          {all > 1 && <span className="muted"> and {count(all - 1)} more</span>}
        </>
      );
    },
  },
  {
    id: "origin",
    title: "From",
    width: "minmax(144px, 0.9fr)",
    cell: originOf,
  },
  {
    id: "mode",
    title: "Traffic",
    width: "minmax(64px, 0.4fr)",
    onPhone: "amount",
    cell: ({ mode }) => mode,
  },
];

function OpenEntry({ entry, onClose }: { readonly entry: Entry; readonly onClose: () => void }) {
  return (
    <Dialog title={entry.operation} isOpen onClose={onClose}>
      <Details className="settings-note">
        <Detail title="Who">
          <Actor name={actorName(entry.actor)} />{" "}
          {entry.actor.kind === "key" && <code className="muted">{entry.actor.name}</code>}
        </Detail>
        <Detail title="When">
          <Moment at={entry.created_at} as="full" />
        </Detail>
        <Detail title="From">{originOf(entry)}</Detail>
      </Details>
      <div className="settings-changes">
        {entry.changes.map(change => (
          <div key={`${change.object} ${change.id}`}>
            {change.before !== null && (
              <CodeBlock title={`${change.object}, before`} text={JSON.stringify(change.before, null, 2)} />
            )}
            {change.after !== null && (
              <CodeBlock
                title={`${change.object}, ${change.before === null ? "new" : "after"}`}
                text={JSON.stringify(change.after, null, 2)}
              />
            )}
            {change.after === null && <p className="muted">The {change.object} was deleted.</p>}
          </div>
        ))}
        {entry.changes.length === 0 && <p className="muted">No configuration was changed.</p>}
        {entry.omitted_changes > 0 && (
          <p className="muted">
            {plural(entry.omitted_changes, "further change")} not recorded individually.
          </p>
        )}
      </div>
    </Dialog>
  );
}
