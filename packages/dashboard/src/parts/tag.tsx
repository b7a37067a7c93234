import type { ReactNode } from "react";

interface TagProps {
  readonly kind?: "plain" | "good" | "warning" | "bad" | "accent";
  readonly title?: string;
  readonly children: ReactNode;
}

/** A word about a row. The colour only repeats what the text says. */
export function Tag({ kind = "plain", title, children }: TagProps) {
  return (
    <span className="tag" data-kind={kind} title={title}>
      {children}
    </span>
  );
}
