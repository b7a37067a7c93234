import { Dialog } from "@base-ui/react/dialog";
import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useId, useMemo, useState } from "react";
import { useLiveAgents } from "../data/live.tsx";
import { notify } from "../data/notices.ts";
import { useScope } from "../data/scope.tsx";
import { signOut } from "../data/sign-in.ts";
import { useView } from "../data/view.tsx";
import { plainName, shortName } from "../format/name.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { usePages } from "./pages.ts";
import { applyTheme } from "./theme.tsx";

interface Command {
  readonly id: string;
  readonly group: "Pages" | "Agents" | "Actions";
  readonly icon: IconName;
  readonly label: string;
  readonly run: () => void;
}

const MAX_SHOWN = 40;

interface PaletteProps {
  readonly onClose: () => void;
  readonly onHelp: () => void;
}

/** Finds pages, agents and actions by a few letters. */
export function Palette({ onClose, onHelp }: PaletteProps) {
  const [text, setText] = useState("");
  const [active, setActive] = useState(0);
  const commands = useCommands(onHelp);
  const found = useMemo(() => search(commands, text), [commands, text]);
  const id = useId();

  const run = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    command.run();
  };
  const handleKey = (event: KeyboardEvent) => {
    const move = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (move !== 0) {
      event.preventDefault();
      setActive((active + move + found.length) % Math.max(1, found.length));
    } else if (event.key === "Enter") {
      event.preventDefault();
      run(found[active]);
    }
  };

  return (
    <Dialog.Root open onOpenChange={isOpen => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog palette">
          <Dialog.Title className="visually-hidden">Search</Dialog.Title>
          <input
            className="palette-input"
            placeholder="Search pages, agents, actions…"
            role="combobox"
            aria-label="Search"
            aria-expanded="true"
            aria-controls={id}
            aria-activedescendant={found[active] ? `${id}-${active}` : undefined}
            aria-autocomplete="list"
            value={text}
            onChange={event => {
              setText(event.target.value);
              setActive(0);
            }}
            onKeyDown={handleKey}
          />
          <div className="palette-list" id={id} role="listbox" aria-label="Results">
            {found.map((command, index) => (
              <div
                key={command.id}
                id={`${id}-${index}`}
                role="option"
                aria-selected={index === active}
                className="palette-item"
                onPointerMove={() => setActive(index)}
                onClick={() => run(command)}
              >
                <Icon name={command.icon} />
                <span className="name">{shortName(command.label)}</span>
                <span className="muted">{command.group}</span>
              </div>
            ))}
          </div>
          {found.length === 0 && <p className="palette-none muted">Nothing found</p>}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function useCommands(onHelp: () => void): readonly Command[] {
  const pages = usePages();
  const agents = useLiveAgents();
  const navigate = useNavigate();
  const { mode } = useScope();
  const { change } = useView();
  return useMemo(() => {
    const action = (label: string, icon: IconName, run: () => void): Command => ({
      id: label,
      group: "Actions",
      icon,
      label,
      run,
    });
    return [
      ...pages.map(({ path, title, icon }) => ({
        id: path,
        group: "Pages" as const,
        icon,
        label: title,
        run: () => void navigate({ to: path }),
      })),
      action(mode === "live" ? "Show test traffic" : "Show live traffic", "play", () =>
        change({ mode: mode === "live" ? "test" : undefined }),
      ),
      action("Use the light theme", "sun", () => applyTheme("light")),
      action("Use the dark theme", "moon", () => applyTheme("dark")),
      action("Use the theme of the system", "settings", () => applyTheme("system")),
      action("Copy a link to this view", "copy", () => void copyLink()),
      action("Keyboard shortcuts", "help", onHelp),
      action("API reference", "external", () => location.assign("/docs")),
      action("Sign out", "external", () => void signOut()),
      ...[...agents.values()].map(({ id, agent_key, name }) => ({
        id,
        group: "Agents" as const,
        icon: "agents" as const,
        label: name === agent_key ? plainName(name) : `${plainName(name)} (${plainName(agent_key)})`,
        run: () => void navigate({ to: "/calls", search: before => ({ ...before, agent: agent_key }) }),
      })),
    ];
  }, [pages, agents, navigate, mode, change, onHelp]);
}

async function copyLink(): Promise<void> {
  try {
    await navigator.clipboard.writeText(location.href);
    notify({ kind: "done", text: "The link is in the clipboard." });
  } catch {
    notify({ kind: "problem", text: "The browser does not let this page copy. Copy the address instead." });
  }
}

/** Every word must occur; labels that start with the text come first. */
function search(commands: readonly Command[], text: string): readonly Command[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = commands.filter(({ label, group }) => {
    const hay = `${label} ${group}`.toLowerCase();
    return words.every(word => hay.includes(word));
  });
  const rank = ({ label }: Command) => (label.toLowerCase().startsWith(text.toLowerCase()) ? 0 : 1);
  return found.toSorted((a, b) => rank(a) - rank(b)).slice(0, MAX_SHOWN);
}
