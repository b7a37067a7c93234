import type { Microcents } from "@tollgate/core/money/money";
import { type AriaAttributes, type InputHTMLAttributes, type ReactNode, useId } from "react";
import { readDollars } from "../format/read-dollars.ts";

interface FieldProps {
  readonly label: string;
  readonly help?: ReactNode;
  /** Why the value cannot be taken. */
  readonly problem?: string | null | undefined;
  readonly children: (props: {
    id: string;
    "aria-describedby": string;
    "aria-invalid": boolean;
  }) => ReactNode;
}

/** A labelled control: `<Field label="Name">{props => <input {...props} />}</Field>`. */
export function Field({ label, help, problem, children }: FieldProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({ id, "aria-describedby": `${id}-help`, "aria-invalid": problem != null })}
      <p
        id={`${id}-help`}
        className={problem == null ? "muted" : "field-problem"}
        role={problem == null ? undefined : "alert"}
      >
        {problem ?? help}
      </p>
    </div>
  );
}

interface TextFieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, "onChange" | "value"> {
  readonly label: string;
  readonly help?: ReactNode;
  readonly problem?: string | null | undefined;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function TextField({ label, help, problem, value, onChange, ...rest }: TextFieldProps) {
  return (
    <Field label={label} help={help} problem={problem}>
      {props => (
        <input
          {...rest}
          {...props}
          className="input"
          value={value}
          onChange={event => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

/** A typed amount of dollars in microcents; null: not an amount above 0. */
export function readDollarsAboveZero(text: string): Microcents | null {
  const amount = readDollars(text);
  return amount === null || amount === 0 ? null : amount;
}

/** Dollars, typed as people write them: 12.50. Read the value with `readDollarsAboveZero`. */
export function DollarField(props: TextFieldProps) {
  return (
    <TextField
      inputMode="decimal"
      placeholder="10.00"
      autoComplete="off"
      {...props}
      label={`${props.label} ($)`}
    />
  );
}

interface ChoiceFieldProps<Value extends string> {
  readonly label: string;
  /** In a toolbar or a table, where the options say what is chosen: the label is only read aloud. */
  readonly isLabelHidden?: boolean;
  readonly help?: ReactNode;
  readonly problem?: string | null | undefined;
  readonly value: Value;
  readonly options: readonly { readonly value: Value; readonly label: string }[];
  readonly onChange: (value: Value) => void;
  readonly isDisabled?: boolean;
  readonly className?: string;
}

/** One of several. */
export function ChoiceField<Value extends string>(props: ChoiceFieldProps<Value>) {
  const {
    label,
    isLabelHidden = false,
    help,
    problem,
    value,
    options,
    onChange,
    isDisabled,
    className = "",
  } = props;
  const select = (naming: AriaAttributes & { readonly id?: string }) => (
    <select
      {...naming}
      className={`input ${className}`.trim()}
      data-fits={isLabelHidden || undefined}
      value={value}
      disabled={isDisabled}
      onChange={event => {
        const chosen = options.find(option => option.value === event.target.value);
        if (chosen) onChange(chosen.value);
      }}
    >
      {options.map(option => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  );
  if (isLabelHidden) return select({ "aria-label": label });
  return (
    <Field label={label} help={help} problem={problem}>
      {select}
    </Field>
  );
}

interface CheckFieldProps {
  readonly label: string;
  readonly help?: ReactNode;
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
}

/** Yes or no. */
export function CheckField({ label, help, isChecked, onChange }: CheckFieldProps) {
  const id = useId();
  return (
    <div className="check-field">
      <input
        id={id}
        type="checkbox"
        checked={isChecked}
        aria-describedby={`${id}-help`}
        onChange={event => onChange(event.target.checked)}
      />
      <label htmlFor={id}>{label}</label>
      <p id={`${id}-help`} className="muted">
        {help}
      </p>
    </div>
  );
}
