import { Dialog } from "@base-ui/react/dialog";
import { useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useLiveAgents } from "../data/live.tsx";
import { notify } from "../data/notices.ts";
import { useScope } from "../data/scope.tsx";
import { signOut } from "../data/sign-in.ts";
import { useView } from "../data/view.tsx";
import type { IconName } from "../parts/icon.tsx";
import { SearchList, type SearchOption } from "../parts/search-list.tsx";
import { usePages } from "./pages.ts";
import { applyTheme } from "./theme.tsx";
import { agentLabel, useFoundSubjects } from "./use-found-subjects.ts";

interface Command extends SearchOption {
  readonly run: () => void;
}

interface PaletteProps {
  readonly onClose: () => void;
  readonly onHelp: () => void;
}

/** Finds pages, agents, customers, sessions, calls and actions by a few letters. */
export function Palette({ onClose, onHelp }: PaletteProps) {
  const [text, setText] = useState("");
  const commands = useCommands(onHelp);
  const subjects = useFoundSubjects(text);
  const options = useMemo(() => {
    const known = new Set(commands.map(({ label }) => label));
    // An agent that the live channel has named is not listed twice.
    return [
      ...commands,
      ...(text === "" ? [] : subjects.filter(({ note, label }) => note !== "Agent" || !known.has(label))),
    ];
  }, [commands, subjects, text]);
  return (
    <Dialog.Root open onOpenChange={isOpen => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog palette">
          <Dialog.Title className="visually-hidden">Search</Dialog.Title>
          <SearchList
            label="Search"
            placeholder="Search pages, agents, customers, sessions, call ids…"
            options={options}
            onText={setText}
            onPick={command => {
              onClose();
              command.run();
            }}
          />
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
      note: "Action",
      icon,
      label,
      run,
    });
    return [
      ...pages.map(({ path, title, icon }) => ({
        id: path,
        note: "Page",
        icon,
        label: title,
        run: () => void navigate({ to: path }),
      })),
      action(mode === "live" ? "Show test traffic" : "Show live traffic", "play", () =>
        change({ mode: mode === "live" ? "test" : "live" }),
      ),
      action("Use the light theme", "sun", () => applyTheme("light")),
      action("Use the dark theme", "moon", () => applyTheme("dark")),
      action("Use the system theme", "settings", () => applyTheme("system")),
      action("Copy a link to this view", "copy", () => void copyLink()),
      action("Keyboard shortcuts", "help", onHelp),
      action("API reference", "external", () => location.assign("/docs")),
      action("Sign out", "external", () => void signOut()),
      ...[...agents.values()].map(({ id, agent_key, name }) => ({
        id,
        note: "Agent",
        icon: "agents" as const,
        label: agentLabel(name, agent_key),
        run: () => void navigate({ to: "/agents/$agentId", params: { agentId: id } }),
      })),
    ];
  }, [pages, agents, navigate, mode, change, onHelp]);
}

async function copyLink(): Promise<void> {
  try {
    await navigator.clipboard.writeText(location.href);
    notify({ kind: "done", text: "Link copied" });
  } catch {
    notify({
      kind: "problem",
      text: "Your browser blocked copying. Copy the address from the address bar instead.",
    });
  }
}
