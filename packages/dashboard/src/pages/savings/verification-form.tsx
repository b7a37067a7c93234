import { useState } from "react";
import { useFormChange, useOperation } from "../../data/use-operation.ts";
import { plural } from "../../format/counts.ts";
import { dollars } from "../../format/money.ts";
import { AgentField } from "../../parts/agent-field.tsx";
import { Button } from "../../parts/button.tsx";
import { Dialog, DialogActions } from "../../parts/dialog.tsx";
import { ChoiceField, TextField } from "../../parts/field.tsx";
import { Form } from "../../parts/form.tsx";
import { savingReads } from "./saving-words.ts";

interface VerificationFormProps {
  readonly agentId?: string | undefined;
  readonly prodModel?: string;
  readonly candidateModel?: string;
  readonly onClose: () => void;
  readonly onStarted?: (id: string) => void;
}

/** Asks whether a switch to another model holds quality. */
export function VerificationForm(props: VerificationFormProps) {
  const { onClose, onStarted } = props;
  const [agentId, setAgentId] = useState(props.agentId ?? "");
  const [production, setProduction] = useState(props.prodModel ?? "");
  const [candidate, setCandidate] = useState(props.candidateModel ?? "");
  const [policyId, setPolicyId] = useState("");
  const policies = useOperation("verify.policies.list", {}, { isLive: false });
  const balance = useOperation("verify.balance.get", {});
  const start = useFormChange("verify.requests.create", {
    refreshes: savingReads,
    done: "Verification started",
    onDone({ id }) {
      onClose();
      onStarted?.(id);
    },
  });
  const all = policies.data?.policies ?? [];
  const policy = all.find(one => (policyId === "" ? one.is_default : one.id === policyId));
  return (
    <Dialog title="Verify a switch" isOpen onClose={onClose}>
      <Form
        changes={[start]}
        onSubmit={() => {
          start.mutate({
            prod_model: production.trim(),
            candidate_model: candidate.trim(),
            ...(agentId === "" ? {} : { agent_id: agentId }),
            ...(policyId === "" ? {} : { policy_id: policyId }),
          });
        }}
      >
        <AgentField
          label="Agent"
          none="Every agent that calls the model"
          value={agentId}
          onChange={setAgentId}
        />
        <TextField
          label="Current model"
          required
          maxLength={256}
          autoComplete="off"
          value={production}
          onChange={setProduction}
        />
        <TextField
          label="Candidate model"
          required
          maxLength={256}
          autoComplete="off"
          value={candidate}
          onChange={setCandidate}
        />
        <ChoiceField
          label="Policy"
          value={policyId}
          options={[
            {
              value: "",
              label: `${all.find(({ is_default }) => is_default)?.name ?? "The default"} (default)`,
            },
            ...all
              .filter(({ is_default }) => !is_default)
              .map(({ id, name }) => ({ value: id, label: name })),
          ]}
          onChange={setPolicyId}
          help={
            policy &&
            `The mean score may be ${policy.margin} lower; at most ${plural(policy.max_pairs, "pair")} and ${dollars(policy.max_spend_microcents)} for the calls of the candidate and of the judge.`
          }
        />
        <p className="muted">
          {balance.data && `${plural(balance.data.available, "verification")} left. `}
          Only a verdict is charged.
        </p>
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={start.isPending}>
            Verify
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
}
