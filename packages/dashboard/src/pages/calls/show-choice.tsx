import { useNavigate } from "@tanstack/react-router";
import { Segmented } from "../../parts/segmented.tsx";
import type { Show } from "./show.ts";

const options = [
  { value: "calls", label: "Admitted" },
  { value: "refused", label: "Refused" },
] as const;

export function ShowChoice({ show }: { readonly show: Show }) {
  const navigate = useNavigate();
  return (
    <Segmented
      label="Which calls"
      value={show}
      options={options}
      onChange={chosen =>
        void navigate({
          to: "/calls",
          search: before => ({
            ...before,
            show: chosen === "refused" ? "refused" : undefined,
            budget: undefined,
          }),
        })
      }
    />
  );
}
