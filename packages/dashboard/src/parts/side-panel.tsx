import { Dialog as Base } from "@base-ui/react/dialog";
import type { ReactNode } from "react";
import { IconButton } from "./button.tsx";

interface SidePanelProps {
  readonly title: ReactNode;
  readonly actions?: ReactNode;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/**
 * One row of a list in detail, beside the list, which stays usable. It has a URL of its own: render it in a child route,
 * and navigate to the parent in `onClose`. Esc closes it.
 */
export function SidePanel({ title, actions, onClose, children }: SidePanelProps) {
  return (
    <Base.Root open modal={false} disablePointerDismissal onOpenChange={open => !open && onClose()}>
      <Base.Portal>
        <Base.Popup className="side-panel">
          <div className="dialog-head">
            <Base.Title render={<h2 />}>{title}</Base.Title>
            <div className="card-actions">
              {actions}
              <Base.Close render={<IconButton icon="close" label="Close" />} />
            </div>
          </div>
          <div className="side-panel-body">{children}</div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
