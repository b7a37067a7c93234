import { Link } from "@tanstack/react-router";
import { Empty } from "../parts/states.tsx";

export function NotFound() {
  return (
    <Empty title="Page not found">
      The link may be old or mistyped. <Link to="/">Go to the overview</Link>
    </Empty>
  );
}
