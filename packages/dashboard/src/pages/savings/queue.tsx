import { DAY_MS } from "@tollgate/core/time/durations";
import { useState } from "react";
import { useRole } from "../../data/session.tsx";
import { type Output, useChange, useOperation } from "../../data/use-operation.ts";
import { count } from "../../format/counts.ts";
import { AgentField } from "../../parts/agent-field.tsx";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { Menu, MenuItem } from "../../parts/menu.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Name } from "../../parts/name.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { Tag } from "../../parts/tag.tsx";
import { AgentLink } from "./agent-link.tsx";
import { inWords, savingReads } from "./saving-words.ts";

type Item = Output<"loop_views.queue">["items"][number];
type Verdict = Output<"loop_views.verdicts">["verdicts"][number];

const kinds: Readonly<
  Record<Item["kind"], { readonly title: string; readonly tag: "good" | "warning" | "bad" | "plain" }>
> = {
  verdict: { title: "Verdict", tag: "good" },
  blocked_proposal: { title: "Blocked proposal", tag: "plain" },
  breaker_event: { title: "Undone by the breaker", tag: "bad" },
  expiring_evidence: { title: "Evidence expires", tag: "warning" },
};

const pauses = [
  { title: "A day", days: 1 },
  { title: "A week", days: 7 },
  { title: "30 days", days: 30 },
] as const;

/** Items that wait for a person's decision, oldest first. */
export function Queue() {
  const query = useOperation("loop_views.queue", {});
  const verdicts = useOperation("loop_views.verdicts", {});
  return (
    <Card
      title="Waiting for a decision"
      note={query.data ? `${count(query.data.total.value)}, oldest first` : undefined}
    >
      <Loaded query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="Nothing is waiting for a decision" />
          ) : (
            <ul className="saving-rows">
              {items.map(item => (
                <QueueRow
                  key={item.id}
                  item={item}
                  verdict={verdicts.data?.verdicts.find(({ id }) => id === item.subject_id)}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}

interface QueueRowProps {
  readonly item: Item;
  /** The verdict that the item is about; undefined: it is about something else. */
  readonly verdict: Verdict | undefined;
}

function QueueRow({ item, verdict }: QueueRowProps) {
  const { can } = useRole();
  const [isApproving, setIsApproving] = useState(false);
  const [agentId, setAgentId] = useState("");
  const approve = useChange("queue.approve", {
    refreshes: savingReads,
    done: ({ message }) => message,
    onDone: () => setIsApproving(false),
  });
  const snooze = useChange("queue.snooze", { refreshes: savingReads, done: "Snoozed" });
  const acknowledge = useChange("queue.acknowledge", {
    refreshes: savingReads,
    done: ({ message }) => message,
  });
  const has = (action: Item["actions"][number]) => item.actions.includes(action);
  return (
    <li data-queue={item.kind}>
      <div>
        <p>
          <Tag kind={item.reason === "degrades" ? "bad" : kinds[item.kind].tag}>{kinds[item.kind].title}</Tag>{" "}
          <AgentLink id={item.agent_id} />
          {verdict !== undefined && (
            <>
              , <Name name={verdict.prod_model} maxLength={40} /> to{" "}
              <Name name={verdict.candidate_model} maxLength={40} />
            </>
          )}
          : {inWords(item.reason)}
        </p>
        <p className="muted">
          {item.next_step}. Since <Moment at={item.since} />
          {item.due_at !== null && (
            <>
              , expires <Moment at={item.due_at} />
            </>
          )}
          .
        </p>
      </div>
      <div className="card-actions">
        {has("approve") && can("queue.approve") && (
          <Button kind="primary" onClick={() => setIsApproving(true)}>
            Approve
          </Button>
        )}
        {has("snooze") && can("queue.snooze") && (
          <Menu align="end" trigger={<Button>Snooze</Button>}>
            {pauses.map(({ title, days }) => (
              <MenuItem
                key={days}
                onSelect={() =>
                  snooze.mutate({ id: item.id, until: new Date(Date.now() + days * DAY_MS).toISOString() })
                }
              >
                {title}
              </MenuItem>
            ))}
          </Menu>
        )}
        {has("acknowledge") && can("queue.acknowledge") && (
          <Button isBusy={acknowledge.isPending} onClick={() => acknowledge.mutate({ id: item.id })}>
            {item.kind === "blocked_proposal" ? "Dismiss" : "Acknowledge"}
          </Button>
        )}
      </div>
      {isApproving && (
        <ConfirmDialog
          title="Make the switch?"
          action="Approve"
          isBusy={approve.isPending}
          onClose={() => setIsApproving(false)}
          onConfirm={() => {
            if (item.agent_id !== null) approve.mutate({ id: item.id });
            else if (agentId !== "") approve.mutate({ id: item.id, agent_id: agentId });
          }}
        >
          <p>
            The gateway sends the agent’s calls to{" "}
            {verdict === undefined ? (
              "the verified model"
            ) : (
              <Name name={verdict.candidate_model} maxLength={40} />
            )}{" "}
            within a second. It can be undone here, and the breaker undoes it if calls get worse.
          </p>
          {item.agent_id === null && (
            <AgentField
              label="Agent to switch"
              help="The verdict is about all agents: they are switched one at a time."
              value={agentId}
              onChange={setAgentId}
            />
          )}
        </ConfirmDialog>
      )}
    </li>
  );
}
