import { Popover } from "@base-ui/react/popover";
import { eventSources, eventStatuses } from "@tollgate/core/event";
import { providerIds } from "@tollgate/core/provider-id";
import { useEffect, useState } from "react";
import { useLiveAgents } from "../data/live.tsx";
import { useAgentName } from "../data/use-agent-name.ts";
import { useKeyNames } from "../data/use-key-names.ts";
import { useView } from "../data/view.tsx";
import { type FilterName, filterNames, isTypedFilter } from "../data/view-search.ts";
import { plainName, shortName } from "../format/name.ts";
import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { isTyping } from "../parts/is-typing.ts";
import { SearchList, type SearchOption } from "../parts/search-list.tsx";

const filterTitles: Readonly<Record<FilterName, string>> = {
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
      {set.map(name => (
        <FilterChip key={name} name={name} value={filters[name] ?? ""} isApplied={offered.includes(name)} />
      ))}
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

interface FilterChipProps {
  readonly name: FilterName;
  readonly value: string;
  readonly isApplied: boolean;
}

function FilterChip({ name, value, isApplied }: FilterChipProps) {
  const { change } = useView();
  const agentName = useAgentName(name === "agent" ? value : null);
  const keyName = useKeyNames({ enabled: name === "key" }).get(name === "key" ? value : "");
  const shown = agentName ?? keyName ?? value;
  return (
    <span
      className="filter"
      data-applied={isApplied}
      title={isApplied ? plainName(shown) : "This page cannot apply this filter"}
    >
      <span className="muted">{filterTitles[name]}</span> {shortName(shown, 32)}
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
}

interface FilterOption extends SearchOption {
  readonly filter: FilterName;
  readonly value: string;
}

/** Values that take no typing are offered at once; any other is typed after its filter is chosen. */
function AddFilter({ offered }: { readonly offered: readonly FilterName[] }) {
  const { change } = useView();
  const [isOpen, setIsOpen] = useState(false);
  const [name, setName] = useState<FilterName | null>(null);
  const known = useKnownValues(offered, isOpen);
  const open = (isNowOpen: boolean) => {
    setIsOpen(isNowOpen);
    setName(null);
  };

  useEffect(() => {
    const handle = (event: KeyboardEvent) => {
      if (event.key !== "/" || isTyping(event)) return;
      event.preventDefault();
      setIsOpen(true);
      setName(null);
    };
    window.addEventListener("keydown", handle);
    return () => window.removeEventListener("keydown", handle);
  }, []);

  const kinds = offered.map(filter => ({
    id: filter,
    label: filterTitles[filter],
    note: "Filter",
    filter,
    value: "",
  }));
  const options = name === null ? [...kinds, ...known] : known.filter(({ filter }) => filter === name);
  const pick = ({ filter, value }: FilterOption) => {
    if (value === "") {
      setName(filter);
      return;
    }
    change({ [filter]: value });
    open(false);
  };
  return (
    <Popover.Root open={isOpen} onOpenChange={open}>
      <Popover.Trigger render={<Button kind="quiet" icon="filter" aria-keyshortcuts="/" />}>
        Filter
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner className="popup-place" align="start" sideOffset={4}>
          <Popover.Popup className="popup filter-form">
            <Popover.Title className="visually-hidden">Add a filter</Popover.Title>
            <SearchList
              key={name}
              label={name === null ? "Filter by" : filterTitles[name]}
              placeholder={name === null ? "Filter by…" : `${filterTitles[name]}…`}
              options={options}
              onPick={pick}
              nothing={name !== null && isTypedFilter(name) ? "Type a value" : undefined}
              {...(name === null || !isTypedFilter(name)
                ? {}
                : {
                    toTyped: text => ({
                      id: `typed ${text}`,
                      label: text,
                      note: "as typed",
                      filter: name,
                      value: text,
                    }),
                  })}
            />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

function useKnownValues(offered: readonly FilterName[], isOpen: boolean): readonly FilterOption[] {
  const agents = useLiveAgents();
  const keys = useKeyNames({ enabled: isOpen && offered.includes("key") });
  const words = (filter: FilterName, values: readonly string[]) =>
    values.map(value => ({
      id: `${filter} ${value}`,
      label: value,
      note: filterTitles[filter],
      filter,
      value,
    }));
  const all: readonly FilterOption[] = [
    ...[...agents.values()].map(({ id, name }) => ({
      id,
      label: name,
      note: "Agent",
      filter: "agent" as const,
      value: id,
    })),
    ...[...keys].map(([id, name]) => ({
      id,
      label: name,
      note: "API key",
      filter: "key" as const,
      value: id,
    })),
    ...words("status", eventStatuses),
    ...words("source", eventSources),
    ...words("provider", providerIds),
  ];
  return all.filter(({ filter }) => offered.includes(filter));
}
