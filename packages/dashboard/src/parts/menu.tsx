import { Menu as Base } from "@base-ui/react/menu";
import type { ReactElement, ReactNode } from "react";
import { Icon } from "./icon.tsx";

interface MenuProps {
  /** A button; it opens the menu. */
  readonly trigger: ReactElement;
  readonly align?: "start" | "end";
  readonly children: ReactNode;
}

/** A list of actions or choices. Arrow keys, Enter and Esc work. */
export function Menu({ trigger, align = "start", children }: MenuProps) {
  return (
    <Base.Root modal={false}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner className="popup-place" align={align} sideOffset={4}>
          <Base.Popup className="popup menu">{children}</Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

interface MenuItemProps {
  readonly onSelect: () => void;
  readonly isDanger?: boolean;
  readonly isDisabled?: boolean;
  readonly children: ReactNode;
}

export function MenuItem({ onSelect, isDanger = false, isDisabled = false, children }: MenuItemProps) {
  return (
    <Base.Item
      className="menu-item"
      data-danger={isDanger || undefined}
      disabled={isDisabled}
      onClick={onSelect}
    >
      {children}
    </Base.Item>
  );
}

interface MenuCheckProps {
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
  readonly children: ReactNode;
}

export function MenuCheck({ isChecked, onChange, children }: MenuCheckProps) {
  return (
    <Base.CheckboxItem
      className="menu-item"
      checked={isChecked}
      onCheckedChange={onChange}
      closeOnClick={false}
    >
      <span className="menu-mark">
        <Base.CheckboxItemIndicator>
          <Icon name="check" size={14} />
        </Base.CheckboxItemIndicator>
      </span>
      {children}
    </Base.CheckboxItem>
  );
}

interface MenuChoiceProps<Value extends string> {
  readonly value: Value;
  readonly options: readonly { readonly value: Value; readonly label: ReactNode }[];
  readonly onChange: (value: Value) => void;
}

/** One of several. */
export function MenuChoice<Value extends string>({ value, options, onChange }: MenuChoiceProps<Value>) {
  return (
    <Base.RadioGroup value={value} onValueChange={onChange}>
      {options.map(option => (
        <Base.RadioItem key={option.value} className="menu-item" value={option.value} closeOnClick>
          <span className="menu-mark">
            <Base.RadioItemIndicator>
              <Icon name="check" size={14} />
            </Base.RadioItemIndicator>
          </span>
          {option.label}
        </Base.RadioItem>
      ))}
    </Base.RadioGroup>
  );
}

export const MenuSeparator = () => <Base.Separator className="menu-separator" />;
