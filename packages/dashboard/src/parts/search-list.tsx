import { type KeyboardEvent, type ReactNode, useId, useLayoutEffect, useMemo, useRef, useState } from "react";
import { shortName } from "../format/name.ts";
import { Icon, type IconName } from "./icon.tsx";

export interface SearchOption {
  readonly id: string;
  readonly label: string;
  readonly icon?: IconName;
  /** At the end of the line: what kind of thing it is. */
  readonly note?: string;
}

interface SearchListProps<Option extends SearchOption> {
  readonly label: string;
  readonly placeholder?: string;
  readonly options: readonly Option[];
  readonly onPick: (option: Option) => void;
  /** Called with the typed text whenever it changes, to ask the server for more options. */
  readonly onText?: (text: string) => void;
  /** The typed text itself, offered as the last option. */
  readonly toTyped?: (text: string) => Option;
  readonly nothing?: ReactNode;
}

const MAX_SHOWN = 40;

/** An input, and below it what it finds: typing, arrow keys and Enter choose. */
export function SearchList<Option extends SearchOption>(props: SearchListProps<Option>) {
  const { label, placeholder, options, onPick, onText, toTyped, nothing } = props;
  const [text, setText] = useState("");
  const [active, setActive] = useState(0);
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  // At once, not when the popup around it says so: letters typed right after the shortcut belong in here.
  useLayoutEffect(() => input.current?.focus({ preventScroll: true }), []);
  const found = useMemo(() => {
    const matching = findOptions(options, text);
    return toTyped && text.trim() !== "" ? [...matching, toTyped(text.trim())] : matching;
  }, [options, text, toTyped]);

  const handleKey = (event: KeyboardEvent) => {
    const move = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const chosen = found[active];
    if (move !== 0) {
      event.preventDefault();
      setActive((active + move + found.length) % Math.max(1, found.length));
    } else if (event.key === "Enter" && chosen) {
      event.preventDefault();
      onPick(chosen);
    }
  };

  return (
    <>
      <input
        ref={input}
        className="search-input"
        placeholder={placeholder}
        role="combobox"
        aria-label={label}
        aria-expanded={found.length > 0}
        aria-controls={id}
        aria-activedescendant={found[active] ? `${id}-${active}` : undefined}
        aria-autocomplete="list"
        autoComplete="off"
        maxLength={1024}
        value={text}
        onChange={event => {
          setText(event.target.value);
          setActive(0);
          onText?.(event.target.value);
        }}
        onKeyDown={handleKey}
      />
      {found.length > 0 ? (
        <div className="search-list" id={id} role="listbox" aria-label={label}>
          {found.map((option, index) => (
            <div
              key={option.id}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === active}
              className="search-option"
              onPointerMove={() => setActive(index)}
              onClick={() => onPick(option)}
            >
              {option.icon && <Icon name={option.icon} />}
              <span className="name">{shortName(option.label)}</span>
              {option.note && <span className="muted">{option.note}</span>}
            </div>
          ))}
        </div>
      ) : (
        <p className="search-nothing muted" id={id}>
          {nothing ?? "Nothing found"}
        </p>
      )}
    </>
  );
}

/** Every word must occur; labels that start with the text come first. */
function findOptions<Option extends SearchOption>(
  options: readonly Option[],
  text: string,
): readonly Option[] {
  const wanted = text.trim().toLowerCase();
  const words = wanted.split(/\s+/).filter(Boolean);
  const found = options.filter(({ label, note = "" }) => {
    const searched = `${label} ${note}`.toLowerCase();
    return words.every(word => searched.includes(word));
  });
  const rank = ({ label }: Option) => (label.toLowerCase().startsWith(wanted) ? 0 : 1);
  return found.toSorted((a, b) => rank(a) - rank(b)).slice(0, MAX_SHOWN);
}
