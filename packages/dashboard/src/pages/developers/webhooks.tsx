import { Outlet, useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useRole } from "../../data/session.tsx";
import { useOperation } from "../../data/use-operation.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Name } from "../../parts/name.tsx";
import { Empty, Problem } from "../../parts/states.tsx";
import { Tag } from "../../parts/tag.tsx";
import type { Webhook } from "./webhook-events.tsx";
import { NewWebhook } from "./webhook-form.tsx";

export function Webhooks() {
  const { can } = useRole();
  const navigate = useNavigate();
  const openKey = useParams({ strict: false, select: ({ webhookId }) => webhookId });
  const listed = useOperation("webhooks.list", {});
  const [isAdding, setIsAdding] = useState(false);
  return (
    <>
      <Card
        title="Webhooks"
        note="Signed requests to your own servers, as things happen"
        className="table-card developers-webhooks"
        actions={
          can("webhooks.register") && (
            <Button kind="primary" icon="plus" onClick={() => setIsAdding(true)}>
              Add a webhook
            </Button>
          )
        }
      >
        {listed.data === undefined && listed.failureReason !== null ? (
          <Problem message={listed.failureReason.message} isRetrying={listed.isFetching} />
        ) : (
          <DataTable
            label="Webhooks"
            columns={columns}
            rows={listed.data?.webhooks}
            rowKey={({ id }) => id}
            isMain
            openKey={openKey}
            onOpen={({ id }) =>
              void navigate({ to: "/developers/webhooks/$webhookId", params: { webhookId: id } })
            }
            empty={
              <Empty title="No webhooks yet">Add one to be notified about calls, alerts and budgets.</Empty>
            }
          />
        )}
        {isAdding && <NewWebhook onClose={() => setIsAdding(false)} />}
      </Card>
      <Outlet />
    </>
  );
}

const columns: readonly Column<Webhook>[] = [
  {
    id: "url",
    title: "Address",
    width: "minmax(200px, 2fr)",
    onPhone: "title",
    cell: ({ url }) => <Name name={url} maxLength={90} />,
  },
  {
    id: "state",
    title: "State",
    width: "minmax(110px, 0.8fr)",
    onPhone: "amount",
    cell: webhook => <WebhookState webhook={webhook} />,
  },
  {
    id: "events",
    title: "Events",
    width: "minmax(180px, 1.6fr)",
    cell: ({ events }) => events.join(", "),
  },
  {
    id: "created",
    title: "Added",
    width: "minmax(110px, 0.7fr)",
    cell: ({ created_at }) => <Moment at={created_at} />,
  },
];

export function WebhookState({ webhook }: { readonly webhook: Webhook }) {
  const { enabled, disabled_reason, failing_since } = webhook;
  if (!enabled) {
    return (
      <Tag kind="bad" {...(disabled_reason === null ? {} : { title: disabled_reason })}>
        disabled
      </Tag>
    );
  }
  return failing_since === null ? <Tag kind="good">enabled</Tag> : <Tag kind="warning">failing</Tag>;
}
