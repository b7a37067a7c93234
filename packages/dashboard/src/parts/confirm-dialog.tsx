import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { Dialog, DialogActions } from "./dialog.tsx";

interface ConfirmDialogProps {
  /** The question. */
  readonly title: string;
  /** The consequences. */
  readonly children: ReactNode;
  /** On the button that does it. */
  readonly action: string;
  readonly isDanger?: boolean;
  readonly isBusy: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before something that cannot be taken back, or that stops calls. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, children, action, isDanger = false, isBusy, onConfirm, onClose } = props;
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      {children}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button kind={isDanger ? "danger" : "primary"} isBusy={isBusy} onClick={onConfirm}>
          {action}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
