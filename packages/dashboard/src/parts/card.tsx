import { type ReactNode, useId } from "react";

interface CardProps {
  readonly title: ReactNode;
  /** Beside the title: a choice, a link, an action. */
  readonly actions?: ReactNode;
  /** Below the title, in small letters: what exactly is shown. */
  readonly note?: ReactNode;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A part of a page, with a heading. */
export function Card({ title, actions, note, className, children }: CardProps) {
  const id = useId();
  return (
    <section className={`card ${className ?? ""}`} aria-labelledby={id}>
      <header className="card-head">
        <div>
          <h2 id={id}>{title}</h2>
          {note && <p className="muted card-note">{note}</p>}
        </div>
        {actions && <div className="card-actions">{actions}</div>}
      </header>
      {children}
    </section>
  );
}
