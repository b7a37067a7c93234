import { useState } from "react";
import { useRole, useSession } from "../../data/session.tsx";
import { useFormChange } from "../../data/use-operation.ts";
import { plural } from "../../format/counts.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Detail, Details } from "../../parts/details.tsx";
import { CheckField, Field, TextField } from "../../parts/field.tsx";
import { Form } from "../../parts/form.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Name } from "../../parts/name.tsx";
import { DemoData } from "../first-run/demo-data.tsx";
import { Breaker } from "./breaker.tsx";

export function Organization() {
  const { can } = useRole();
  const { organization } = useSession();
  return (
    <div className="settings">
      <Card title="Organization">
        <Details>
          {!can("organization.update") && (
            <Detail title="Name">
              <Name name={organization.name} />
            </Detail>
          )}
          <Detail title="Id" className="settings-id">
            <code>{organization.id}</code>
            <CopyButton text={organization.id} label="Copy the id" />
          </Detail>
          <Detail title="Created">
            <Moment at={organization.created_at} as="full" />
          </Detail>
        </Details>
        {can("organization.update") && <OrganizationForm key={organization.id} />}
      </Card>
      <Retention />
      <Breaker />
      {can("demo.get") && <DemoData />}
    </div>
  );
}

function OrganizationForm() {
  const { organization } = useSession();
  const [name, setName] = useState(organization.name);
  const [hasModel, setHasModel] = useState(organization.flags.optimization_model_v3);
  const [origins, setOrigins] = useState(organization.redirect_origins.join("\n"));
  const update = useFormChange("organization.update", {
    refreshes: ["organization.get", "account.get"],
    done: "Saved",
  });
  return (
    <Form
      className="settings-form"
      changes={[update]}
      onSubmit={() => {
        update.mutate({
          name,
          flags: { optimization_model_v3: hasModel },
          redirect_origins: origins.split(/\s+/).filter(origin => origin !== ""),
        });
      }}
    >
      <TextField label="Name" value={name} onChange={setName} maxLength={200} required />
      <CheckField
        label="Show savings and the decision queue"
        help="What optimizations save, and which changes await a decision"
        isChecked={hasModel}
        onChange={setHasModel}
      />
      <Field
        label="Allowed return addresses after checkout"
        help="One origin per line, such as https://app.example.org. The dashboard itself is always allowed."
      >
        {props => (
          <textarea
            {...props}
            className="input"
            rows={2}
            value={origins}
            onChange={event => setOrigins(event.target.value)}
          />
        )}
      </Field>
      <Button kind="primary" type="submit" isBusy={update.isPending} disabled={name.trim() === ""}>
        Save
      </Button>
    </Form>
  );
}

/** Kinds of stored data, with how long each is kept. */
function Retention() {
  const { organization } = useSession();
  const { history_days } = organization.limits;
  return (
    <Card title="Retention" note="What is kept, and for how long">
      <Details>
        <Detail title="Prompts and answers">never stored</Detail>
        <Detail title="Provider keys">in memory, for the one call that carries them</Detail>
        <Detail title="Calls and costs">
          in the ledger, until the operator’s retention period (if set) ends; your tier shows{" "}
          {history_days === null ? "all of it" : `the last ${plural(history_days, "day")}`}
        </Detail>
        <Detail title="Refused calls">90 days</Detail>
        <Detail title="Webhook deliveries">30 days after they end</Detail>
        <Detail title="Reports">90 days after they expired or were revoked</Detail>
      </Details>
    </Card>
  );
}
