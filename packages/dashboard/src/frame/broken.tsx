import type { ErrorComponentProps } from "@tanstack/react-router";
import { Button } from "../parts/button.tsx";

/** A fault of the page itself, such as a part of it that a newer version has replaced. */
export function Broken({ error }: ErrorComponentProps) {
  return (
    <div className="problem" role="alert">
      <p>Something went wrong on this page: {error instanceof Error ? error.message : String(error)}</p>
      <Button onClick={() => location.reload()}>Reload</Button>
    </div>
  );
}
