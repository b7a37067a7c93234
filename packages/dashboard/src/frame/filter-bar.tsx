import { Popover } from "@base-ui/react/popover";
import { eventSources, eventStatuses } from "@tollgate/core/event";
import { providerIds } from "@tollgate/core/provider-id";
import { useEffect, useId, useRef, useState } from "react";
import { useLiveAgents } from "../data/live.tsx";
import { useView } from "../data/view.tsx";
import { type FilterName, filterNames } from "../data/view-search.ts";
import { plainName, shortName } from "../format/name.ts";
import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { isTyping } from "../parts/is-typing.ts";

export const filterTitles: Readonly<Record<FilterName, string>> = {
  agent: "Agent",
  customer: "Customer",
  session: "Session",
  model: "Model",
  provider: "Provider",
  key: "API key",
  status: "Status",
  source: "Source",
};

/** The filters in force, and a way to add one. Filters that this page cannot apply are shown as such. */
export function FilterBar({ offered }: { readonly offered: readonly FilterName[] }) {
  const { filters, change } = useView();
  const set = filterNames.filter(name => filters[name] !== undefined);
  return (
    <section className="filter-bar" aria-label="Filters">
      {set.map(name => {
        const isApplied = offered.includes(name);
        const value = filters[name] ?? "";
        return (
          <span
            key={name}
            className="filter"
            data-applied={isApplied}
            title={isApplied ? plainName(value) : "This page cannot filter by this"}
          >
            <span className="muted">{filterTitles[name]}</span> {shortName(value, 32)}
            {!isApplied && <span className="muted">(not applied here)</span>}
            <button
              type="button"
              aria-label={`Remove the filter ${filterTitles[name]}`}
              onClick={() => change({ [name]: undefined })}
            >
              <Icon name="close" size={12} />
            </button>
          </span>
        );
      })}
      <AddFilter offered={offered} />
      {set.length > 1 && (
        <Button
          kind="quiet"
          onClick={() => change(Object.fromEntries(filterNames.map(name => [name, undefined])))}
        >
          Clear
        </Button>
      )}
    </section>
  );
}

function AddFilter({ offered }: { readonly offered: readonly FilterName[] }) {
  const { change } = useView();
  const [isOpen, setIsOpen] = useState(false);
  const [name, setName] = useState<FilterName>(offered[0] ?? "agent");
  const [value, setValue] = useState("");
  const input = useRef<HTMLInputElement>(null);
  const suggestions = useSuggestions(name);
  const id = useId();

  useEffect(() => {
    const handle = (event: KeyboardEvent) => {
      if (event.key !== "/" || isTyping(event)) return;
      event.preventDefault();
      setIsOpen(true);
    };
    window.addEventListener("keydown", handle);
    return () => window.removeEventListener("keydown", handle);
  }, []);

  const add = () => {
    if (value.trim() === "") return;
    change({ [name]: value.trim() });
    setValue("");
    setIsOpen(false);
  };
  return (
    <Popover.Root open={isOpen} onOpenChange={setIsOpen}>
      <Popover.Trigger render={<Button kind="quiet" icon="filter" aria-keyshortcuts="/" />}>
        Filter
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner className="popup-place" align="start" sideOffset={4}>
          <Popover.Popup className="popup filter-form" initialFocus={input}>
            <Popover.Title className="visually-hidden">Add a filter</Popover.Title>
            <form
              onSubmit={event => {
                event.preventDefault();
                add();
              }}
            >
              <select
                className="input"
                aria-label="Filter by"
                value={name}
                onChange={event => {
                  const chosen = offered.find(one => one === event.target.value);
                  if (chosen) setName(chosen);
                  input.current?.focus();
                }}
              >
                {offered.map(one => (
                  <option key={one} value={one}>
                    {filterTitles[one]}
                  </option>
                ))}
              </select>
              <input
                ref={input}
                className="input"
                aria-label="Value"
                list={id}
                value={value}
                maxLength={1024}
                placeholder={name === "agent" ? "planner" : ""}
                onChange={event => setValue(event.target.value)}
              />
              <datalist id={id}>
                {suggestions.map(one => (
                  <option key={one} value={one} />
                ))}
              </datalist>
              <Button kind="primary" type="submit">
                Apply
              </Button>
            </form>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

function useSuggestions(name: FilterName): readonly string[] {
  const agents = useLiveAgents();
  switch (name) {
    case "agent":
      return [...agents.values()].map(({ agent_key }) => agent_key);
    case "status":
      return eventStatuses;
    case "source":
      return eventSources;
    case "provider":
      return providerIds;
    default:
      return [];
  }
}
