import { Dialog } from "../parts/dialog.tsx";
import { usePages } from "./pages.ts";

const general: readonly (readonly [string, string])[] = [
  ["⌘K, Ctrl K", "Search pages, agents, customers, sessions, calls, actions"],
  ["/", "Add a filter"],
  ["j, k", "Next and previous row"],
  ["Enter", "Open the row"],
  ["Esc", "Close"],
  ["?", "Show these shortcuts"],
];

export function KeyboardHelp({ onClose }: { readonly onClose: () => void }) {
  const pages = usePages().flatMap(({ key, title }) =>
    key === undefined ? [] : [[`g ${key}`, title] as const],
  );
  return (
    <Dialog title="Keyboard shortcuts" isOpen onClose={onClose}>
      <dl className="shortcuts">
        {[...general, ...pages].map(([keys, meaning]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
