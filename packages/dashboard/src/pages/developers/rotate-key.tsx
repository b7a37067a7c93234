import { useChange } from "../../data/use-operation.ts";
import { Button } from "../../parts/button.tsx";
import { CodeBlock } from "../../parts/code-block.tsx";
import { Dialog, DialogActions } from "../../parts/dialog.tsx";
import { Moment } from "../../parts/moment.tsx";
import type { Key } from "./key.ts";

interface RotateKeyProps {
  readonly replaced: Key;
  readonly onClose: () => void;
}

/** First the new key, then the end of the old one: in between both work, so that no call is refused. */
export function RotateKey({ replaced, onClose }: RotateKeyProps) {
  const create = useChange("keys.create", { refreshes: ["keys.list"] });
  const revoke = useChange("keys.revoke", {
    refreshes: ["keys.list"],
    done: "Old key revoked",
    onDone: onClose,
  });
  const old = `sk_${replaced.mode}_…${replaced.last_four}`;
  if (create.data === undefined) {
    const { name, mode, scope } = replaced;
    return (
      <Dialog title="Rotate the key" isOpen onClose={onClose}>
        <p>
          Creates a new key with the name, traffic and rights of <code>{old}</code>. The old key keeps working
          until you revoke it.
        </p>
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="primary"
            isBusy={create.isPending}
            onClick={() => create.mutate({ mode, scope, ...(name === null ? {} : { name }) })}
          >
            Create the new key
          </Button>
        </DialogActions>
      </Dialog>
    );
  }
  return (
    <Dialog title="Replace the old key" isOpen onClose={onClose}>
      <div data-secret="key">
        <p className="developers-secret-note">
          Copy the new key now: it is shown only once. Give it to every client that uses <code>{old}</code>,
          which was last used <Moment at={replaced.last_used_at} as="ago" />.
        </p>
        <CodeBlock title="the key" text={create.data.key} />
        <p className="developers-secret-note muted">You can also revoke the old key later, in the list.</p>
        <DialogActions>
          <Button onClick={onClose}>Keep both for now</Button>
          <Button kind="danger" isBusy={revoke.isPending} onClick={() => revoke.mutate({ id: replaced.id })}>
            Revoke the old key
          </Button>
        </DialogActions>
      </div>
    </Dialog>
  );
}
