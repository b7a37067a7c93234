import { useState } from "react";
import { notify } from "../../data/notices.ts";
import { useSession } from "../../data/session.tsx";
import { type Output, useChange, useFormChange, useOperation } from "../../data/use-operation.ts";
import { browserName } from "../../format/browser-name.ts";
import { plainName, shortName } from "../../format/name.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { Detail, Details } from "../../parts/details.tsx";
import { TextField } from "../../parts/field.tsx";
import { Form } from "../../parts/form.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Name } from "../../parts/name.tsx";
import { Loaded } from "../../parts/states.tsx";
import { Tag } from "../../parts/tag.tsx";

type DeviceSession = Output<"account.sessions.list">["sessions"][number];

const MIN_PASSWORD = 8;

export function SignIn() {
  const installation = useOperation("installation.get", {});
  const { account } = useSession();
  return (
    <div className="settings">
      <Card title="How people sign in">
        <Loaded query={installation}>
          {({ sign_in }) => (
            <p>
              {sign_in === "password" ? (
                <>
                  With e-mail address and password. Anyone who has forgotten theirs can get a new link from
                  the operator: <code>svc user link EMAIL</code>.
                </>
              ) : (
                "Through your identity provider. Passwords and links are turned off."
              )}
            </p>
          )}
        </Loaded>
        <Details>
          <Detail title="You">
            <Name name={account.user?.email ?? "–"} />
          </Detail>
        </Details>
      </Card>
      {account.user !== null && !account.user.external && (
        <Password hasPassword={account.user.has_password} />
      )}
      <Sessions />
    </div>
  );
}

function Password({ hasPassword }: { readonly hasPassword: boolean }) {
  const [current, setCurrent] = useState("");
  const [password, setPassword] = useState("");
  const change = useFormChange("account.set_password", {
    refreshes: ["account.get", "account.sessions.list"],
    done: "Password changed; every other session has ended",
    onDone: () => {
      setCurrent("");
      setPassword("");
    },
  });
  const isShort = password !== "" && password.length < MIN_PASSWORD;
  return (
    <Card
      title={hasPassword ? "Change your password" : "Choose a password"}
      note="Signs you out everywhere else"
    >
      <Form
        className="settings-form"
        changes={[change]}
        onSubmit={() => {
          if (isShort) return;
          change.mutate({ password, ...(hasPassword ? { current_password: current } : {}) });
        }}
      >
        {hasPassword && (
          <TextField
            label="Current password"
            type="password"
            autoComplete="current-password"
            value={current}
            onChange={setCurrent}
            required
          />
        )}
        <TextField
          label="New password"
          type="password"
          autoComplete="new-password"
          value={password}
          onChange={setPassword}
          problem={isShort ? `at least ${MIN_PASSWORD} characters` : null}
          required
        />
        <Button type="submit" isBusy={change.isPending}>
          Change the password
        </Button>
      </Form>
    </Card>
  );
}

function Sessions() {
  const listed = useOperation("account.sessions.list", {});
  const end = useChange("account.sessions.end", { refreshes: ["account.sessions.list"] });
  const others = listed.data?.sessions.filter(({ current }) => !current) ?? [];
  const endOthers = async () => {
    // The frame shows what was refused.
    const ended = await Promise.allSettled(others.map(({ id }) => end.mutateAsync({ id })));
    if (ended.every(({ status }) => status === "fulfilled")) {
      notify({ kind: "done", text: "Signed out everywhere else" });
    }
  };
  return (
    <Card
      title="Your sessions"
      className="wide"
      actions={
        others.length > 0 && (
          <Button isBusy={end.isPending} onClick={() => void endOthers()}>
            Sign out everywhere else
          </Button>
        )
      }
    >
      <DataTable
        label="Your sessions"
        columns={[...sessionColumns, endColumn(id => end.mutate({ id }))]}
        rows={listed.data?.sessions}
        rowKey={({ id }) => id}
        empty={null}
      />
    </Card>
  );
}

const sessionColumns: readonly Column<DeviceSession>[] = [
  {
    id: "device",
    title: "Browser",
    width: "minmax(200px, 2fr)",
    onPhone: "title",
    cell: ({ user_agent, current }) => (
      <span className="settings-member">
        {user_agent === null ? (
          "–"
        ) : (
          <span title={plainName(user_agent)}>{browserName(user_agent) ?? shortName(user_agent)}</span>
        )}
        {current && <Tag kind="accent">this one</Tag>}
      </span>
    ),
  },
  {
    id: "created",
    title: "Signed in",
    width: "minmax(110px, 0.7fr)",
    cell: ({ created_at }) => <Moment at={created_at} />,
  },
  {
    id: "expires",
    title: "Ends",
    width: "minmax(110px, 0.7fr)",
    cell: ({ expires_at }) => <Moment at={expires_at} />,
  },
];

const endColumn = (end: (id: string) => void): Column<DeviceSession> => ({
  id: "end",
  title: "Actions",
  width: "110px",
  onPhone: "amount",
  cell: ({ id, current }) =>
    !current && (
      <Button kind="quiet" onClick={() => end(id)}>
        Sign out
      </Button>
    ),
});
