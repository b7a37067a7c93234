import { type ReactNode, useEffect, useRef, useState } from "react";

interface FormProps {
  /** What it submits, from `useFormChange`. The server's reason for a refusal is shown above the fields. */
  readonly changes: readonly { readonly error: Error | null }[];
  /** Submits, unless a field has a problem. */
  readonly onSubmit: () => void;
  readonly className?: string;
  readonly children: ReactNode;
}

/**
 * Fields that are submitted together. If the form is refused, the focus moves to the first field with a problem, or to the
 * server's reason, so that a screen reader announces it.
 */
export function Form({ changes, onSubmit, className, children }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  const reason = useRef<HTMLParagraphElement>(null);
  const [attempts, setAttempts] = useState(0);
  const refusal = changes.find(({ error }) => error !== null)?.error ?? null;
  // Fields say what is wrong with them once they are rendered again.
  useEffect(() => {
    if (attempts > 0) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [attempts]);
  useEffect(() => {
    if (refusal !== null) reason.current?.focus();
  }, [refusal]);
  return (
    <form
      ref={form}
      className={className}
      onSubmit={event => {
        event.preventDefault();
        onSubmit();
        setAttempts(attempts + 1);
      }}
    >
      {refusal !== null && (
        <p className="problem form-problem" role="alert" ref={reason} tabIndex={-1}>
          {refusal.message}
        </p>
      )}
      {children}
    </form>
  );
}
