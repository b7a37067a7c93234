import { dismiss, useNotices } from "../data/notices.ts";
import { IconButton } from "../parts/button.tsx";

/** Results of the reader's changes, failed ones included. */
export function Notices() {
  const notices = useNotices();
  return (
    <div className="notices" aria-live="polite">
      {notices.map(({ id, kind, text }) => (
        <div key={id} className="notice" data-kind={kind}>
          <p>{text}</p>
          <IconButton icon="close" label="Dismiss" onClick={() => dismiss(id)} />
        </div>
      ))}
    </div>
  );
}
