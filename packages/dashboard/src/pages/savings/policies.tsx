import { exactDollars } from "@tollgate/core/money/exact-dollars";
import { type EvidenceMode, evidenceModes } from "@tollgate/core/verification/vocabulary";
import { useState } from "react";
import { useRole } from "../../data/session.tsx";
import { type Output, useFormChange, useOperation } from "../../data/use-operation.ts";
import { count } from "../../format/counts.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { Dialog, DialogActions } from "../../parts/dialog.tsx";
import { ChoiceField, DollarField, readDollarsAboveZero, TextField } from "../../parts/field.tsx";
import { Form } from "../../parts/form.tsx";
import { Money } from "../../parts/money.tsx";
import { Name } from "../../parts/name.tsx";
import { Tag } from "../../parts/tag.tsx";
import { modeTitles } from "./verification-words.ts";

type Policy = Output<"verify.policies.list">["policies"][number];

const reads = ["verify.policies.list"] as const;

/** How verifications are made. */
export function Policies() {
  const { can } = useRole();
  const [edited, setEdited] = useState<Policy | "new" | null>(null);
  const query = useOperation("verify.policies.list", {}, { isLive: false });
  const columns: readonly Column<Policy>[] = [
    {
      id: "name",
      title: "Policy",
      width: "minmax(190px, 1.4fr)",
      onPhone: "title",
      cell: ({ name, is_default, is_built_in }) => (
        <>
          <Name name={name} maxLength={40} /> {is_default && <Tag kind="accent">default</Tag>}{" "}
          {is_built_in && <Tag>built in</Tag>}
        </>
      ),
    },
    {
      id: "margin",
      title: "Margin",
      isNumber: true,
      cell: ({ margin }) => <span className="figure">{margin.toFixed(2)}</span>,
    },
    {
      id: "max_pairs",
      title: "Maximum pairs",
      isNumber: true,
      cell: ({ max_pairs }) => <span className="figure">{count(max_pairs)}</span>,
    },
    {
      id: "spend",
      title: "Maximum spend",
      isNumber: true,
      cell: ({ max_spend_microcents }) => <Money microcents={max_spend_microcents} isFull />,
    },
    {
      id: "share",
      title: "Sampled",
      isNumber: true,
      cell: ({ share_pct }) => <span className="figure">{share_pct}%</span>,
    },
    {
      id: "evidence",
      title: "Evidence",
      width: "minmax(290px, 2fr)",
      cell: ({ evidence_mode }) => modeTitles[evidence_mode],
    },
    ...(can("verify.policies.update")
      ? [
          {
            id: "actions",
            title: "Actions",
            width: "104px",
            cell: (policy: Policy) =>
              policy.is_built_in ? null : <Button onClick={() => setEdited(policy)}>Change</Button>,
          },
        ]
      : []),
  ];
  return (
    <Card
      title="Policies"
      note="Running verifications keep the policy they were registered with"
      actions={
        can("verify.policies.create") && (
          <Button icon="plus" onClick={() => setEdited("new")}>
            Add a policy
          </Button>
        )
      }
    >
      <DataTable
        label="Policies"
        columns={columns}
        rows={query.data?.policies}
        rowKey={({ id }) => id}
        empty={null}
      />
      {edited !== null && (
        <PolicyDialog policy={edited === "new" ? null : edited} onClose={() => setEdited(null)} />
      )}
    </Card>
  );
}

interface PolicyDialogProps {
  /** null: a new one. */
  readonly policy: Policy | null;
  readonly onClose: () => void;
}

function PolicyDialog({ policy, onClose }: PolicyDialogProps) {
  const [name, setName] = useState(policy?.name ?? "");
  const [margin, setMargin] = useState(String(policy?.margin ?? 0.1));
  const [pairs, setPairs] = useState(String(policy?.max_pairs ?? 500));
  const [spend, setSpend] = useState(
    policy === null ? "25.00" : exactDollars(policy.max_spend_microcents).replace("$", ""),
  );
  const [share, setShare] = useState(String(policy?.share_pct ?? 50));
  const [judge, setJudge] = useState(policy?.judge_model ?? "");
  const [mode, setMode] = useState<EvidenceMode>(policy?.evidence_mode ?? "shadow");
  const create = useFormChange("verify.policies.create", {
    refreshes: reads,
    done: "Policy added",
    onDone: onClose,
  });
  const update = useFormChange("verify.policies.update", {
    refreshes: reads,
    done: "Policy changed",
    onDone: onClose,
  });
  const remove = useFormChange("verify.policies.delete", {
    refreshes: reads,
    done: "Policy removed",
    onDone: onClose,
  });
  const maxSpendMicrocents = readDollarsAboveZero(spend);
  return (
    <Dialog title={policy === null ? "Add a policy" : "Change the policy"} isOpen onClose={onClose}>
      <Form
        changes={[create, update, remove]}
        onSubmit={() => {
          if (maxSpendMicrocents === null) return;
          const fields = {
            name: name.trim(),
            margin: Number(margin),
            max_pairs: Number(pairs),
            max_spend_microcents: maxSpendMicrocents,
            share_pct: Number(share),
            judge_model: judge.trim() === "" ? null : judge.trim(),
            evidence_mode: mode,
          };
          if (policy === null) create.mutate(fields);
          else update.mutate({ id: policy.id, ...fields });
        }}
      >
        <TextField label="Name" required maxLength={100} value={name} onChange={setName} />
        <TextField
          label="Margin"
          type="number"
          min={0.01}
          max={0.5}
          step={0.01}
          required
          help="How much lower the mean score may be."
          value={margin}
          onChange={setMargin}
        />
        <TextField
          label="Maximum pairs"
          type="number"
          min={50}
          max={10_000}
          required
          value={pairs}
          onChange={setPairs}
        />
        <DollarField
          label="Maximum spend"
          help="For the calls of the candidate and of the judge together."
          value={spend}
          onChange={setSpend}
          problem={maxSpendMicrocents === null ? "Enter an amount above 0" : null}
        />
        <TextField
          label="Sampled calls (%)"
          type="number"
          min={1}
          max={100}
          required
          value={share}
          onChange={setShare}
        />
        <TextField
          label="Judge"
          help="A model; empty: the strongest of the current model’s provider that is not being compared."
          maxLength={256}
          autoComplete="off"
          value={judge}
          onChange={setJudge}
        />
        <ChoiceField
          label="Evidence"
          value={mode}
          options={evidenceModes.map(value => ({ value, label: modeTitles[value] }))}
          onChange={setMode}
        />
        <DialogActions>
          {policy !== null && (
            <Button kind="danger" isBusy={remove.isPending} onClick={() => remove.mutate({ id: policy.id })}>
              Remove
            </Button>
          )}
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={create.isPending || update.isPending}>
            {policy === null ? "Add the policy" : "Save"}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
}
