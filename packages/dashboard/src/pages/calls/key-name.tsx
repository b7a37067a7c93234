import { useKeyNames } from "../../data/use-key-names.ts";
import { Name } from "../../parts/name.tsx";

/** An API key by its name or its last characters. */
export function KeyName({ id }: { readonly id: string | null }) {
  const names = useKeyNames({ enabled: id !== null });
  if (id === null) return <span className="muted">–</span>;
  return <Name name={names.get(id) ?? id} maxLength={32} />;
}
