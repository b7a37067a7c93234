import type { ReactNode } from "react";

interface DetailsProps {
  readonly className?: string;
  readonly children: ReactNode;
}

/** Facts about one thing: `<Details><Detail title="Created">…</Detail></Details>`. */
export function Details({ className, children }: DetailsProps) {
  return <dl className={className === undefined ? "details" : `details ${className}`}>{children}</dl>;
}

interface DetailProps {
  readonly title: string;
  readonly className?: string;
  /** null: left out. */
  readonly children: ReactNode;
}

export function Detail({ title, className, children }: DetailProps) {
  if (children === null || children === undefined) return null;
  return (
    <div>
      <dt className="muted">{title}</dt>
      <dd className={className}>{children}</dd>
    </div>
  );
}
