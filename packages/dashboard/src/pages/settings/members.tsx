import { useMemo, useState } from "react";
import { useRole, useSession } from "../../data/session.tsx";
import { type Output, useChange } from "../../data/use-operation.ts";
import { useOperationPages } from "../../data/use-operation-pages.ts";
import { plainName } from "../../format/name.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import type { Column } from "../../parts/data-table.tsx";
import { ChoiceField } from "../../parts/field.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Name } from "../../parts/name.tsx";
import { PagedTable } from "../../parts/paged-table.tsx";
import { Tag } from "../../parts/tag.tsx";
import { InviteMember } from "./invite-member.tsx";
import { roleChoices } from "./role-choices.ts";

type Member = Output<"members.list">["members"][number];

export function Members() {
  const { can } = useRole();
  const { account } = useSession();
  const own = account.user?.email;
  const listed = useOperationPages("members.list", {});
  const [isInviting, setIsInviting] = useState(false);
  const [removed, setRemoved] = useState<Member | null>(null);
  const [signedOut, setSignedOut] = useState<Member | null>(null);
  const [mayChange, mayRemove] = [can("members.update"), can("members.remove")];
  const maySignOut = can("members.sign_out");
  const columns = useMemo(
    () => [
      emailColumn(own),
      roleColumn(mayChange),
      sinceColumn,
      ...(mayRemove || maySignOut
        ? [actionsColumn(own, mayRemove ? setRemoved : null, maySignOut ? setSignedOut : null)]
        : []),
    ],
    [own, mayChange, mayRemove, maySignOut],
  );
  return (
    <Card
      title="Members"
      note="Viewers can read. Admins can also change budgets, keys and similar settings. Owners can also manage members and the organization."
      className="table-card settings-members"
      actions={
        can("members.invite") && (
          <Button kind="primary" icon="plus" onClick={() => setIsInviting(true)}>
            Invite
          </Button>
        )
      }
    >
      <PagedTable
        pages={listed}
        label="Members"
        columns={columns}
        rows={listed.data?.pages.flatMap(({ members }) => members)}
        rowKey={({ id }) => id}
        empty={null}
      />
      {isInviting && <InviteMember onClose={() => setIsInviting(false)} />}
      {removed && <RemoveMember member={removed} onClose={() => setRemoved(null)} />}
      {signedOut && <SignOutMember member={signedOut} onClose={() => setSignedOut(null)} />}
    </Card>
  );
}

const emailColumn = (own: string | undefined): Column<Member> => ({
  id: "email",
  title: "E-mail address",
  width: "minmax(200px, 2fr)",
  onPhone: "title",
  cell: ({ email, status }) => (
    <span className="settings-member">
      <Name name={email} maxLength={80} />
      {email === own && <Tag kind="accent">you</Tag>}
      {status === "invited" && <Tag kind="warning">invited</Tag>}
    </span>
  ),
});

const roleColumn = (mayChange: boolean): Column<Member> => ({
  id: "role",
  title: "Role",
  width: "minmax(120px, 0.8fr)",
  onPhone: "amount",
  cell: member => (mayChange ? <RoleChoice member={member} /> : member.role),
});

const sinceColumn: Column<Member> = {
  id: "since",
  title: "Since",
  width: "minmax(110px, 0.8fr)",
  cell: ({ created_at }) => <Moment at={created_at} />,
};

type Choose = (member: Member) => void;

/** One's own sessions are under Sign-in. */
const actionsColumn = (
  own: string | undefined,
  remove: Choose | null,
  signOut: Choose | null,
): Column<Member> => ({
  id: "actions",
  title: "Actions",
  width: "200px",
  cell: member => (
    <span className="settings-member">
      {remove !== null && (
        <Button
          kind="quiet"
          aria-label={`${member.status === "invited" ? "Revoke the invitation of" : "Remove"} ${plainName(member.email)}`}
          onClick={() => remove(member)}
        >
          {member.status === "invited" ? "Revoke" : "Remove"}
        </Button>
      )}
      {signOut !== null && member.status === "active" && member.email !== own && (
        <Button
          kind="quiet"
          aria-label={`Sign out ${plainName(member.email)}`}
          onClick={() => signOut(member)}
        >
          Sign out
        </Button>
      )}
    </span>
  ),
});

const roleNames = roleChoices.map(({ value }) => ({ value, label: value }));

function RoleChoice({ member }: { readonly member: Member }) {
  const update = useChange("members.update", {
    refreshes: ["members.list", "account.get"],
    done: ({ role }) => `${plainName(member.email)} is now ${role}`,
  });
  return (
    <ChoiceField
      isLabelHidden
      label={`Role of ${plainName(member.email)}`}
      className="settings-role"
      value={member.role}
      options={roleNames}
      isDisabled={update.isPending}
      onChange={role => update.mutate({ id: member.id, role })}
    />
  );
}

function SignOutMember({ member, onClose }: { readonly member: Member; readonly onClose: () => void }) {
  const signOut = useChange("members.sign_out", {
    refreshes: [],
    done: `${plainName(member.email)} signed out`,
    onDone: onClose,
  });
  return (
    <ConfirmDialog
      title={`Sign out ${plainName(member.email)}?`}
      action="Sign out"
      isBusy={signOut.isPending}
      onConfirm={() => signOut.mutate({ id: member.id })}
      onClose={onClose}
    >
      <p>Their sessions for this organization end, on every device. They can sign in again.</p>
    </ConfirmDialog>
  );
}

function RemoveMember({ member, onClose }: { readonly member: Member; readonly onClose: () => void }) {
  const isInvited = member.status === "invited";
  const remove = useChange("members.remove", {
    refreshes: ["members.list", "keys.list", "account.get"],
    done: isInvited ? "Invitation revoked" : "Member removed",
    onDone: onClose,
  });
  return (
    <ConfirmDialog
      title={`${isInvited ? "Revoke the invitation of" : "Remove"} ${plainName(member.email)}?`}
      action={isInvited ? "Revoke" : "Remove"}
      isDanger
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate({ id: member.id })}
      onClose={onClose}
    >
      <p>
        {isInvited
          ? "Its link stops working."
          : "They lose access immediately, and the keys that they created here are revoked."}
      </p>
    </ConfirmDialog>
  );
}
