import { Dialog as Base } from "@base-ui/react/dialog";
import { type ReactNode, useRef } from "react";
import { IconButton } from "./button.tsx";

interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A question or a form above the page. Focus begins at its first field, and stays in it; Esc closes it. */
export function Dialog({ title, isOpen, onClose, children }: DialogProps) {
  const popup = useRef<HTMLDivElement>(null);
  // Not by `autoFocus`: it comes before the dialog has noted where the focus must return to. On a touch screen a focused
  // field would open the keyboard above the form.
  const focusFirst = (openedBy: string) =>
    (openedBy !== "touch" &&
      popup.current?.querySelector<HTMLElement>(":is(input, select, textarea):enabled")) ||
    true;
  return (
    <Base.Root open={isOpen} onOpenChange={open => !open && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="backdrop" />
        <Base.Popup className="dialog" ref={popup} initialFocus={focusFirst}>
          <div className="dialog-head">
            <Base.Title render={<h2 />}>{title}</Base.Title>
            <Base.Close render={<IconButton icon="close" label="Close" />} />
          </div>
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

/** The buttons at the end of a dialog: the last is the one that does it. */
export function DialogActions({ children }: { readonly children: ReactNode }) {
  return <div className="dialog-actions">{children}</div>;
}
