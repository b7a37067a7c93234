import { useScope } from "../data/scope.tsx";
import { useView } from "../data/view.tsx";
import { Segmented } from "../parts/segmented.tsx";

const modes = [
  { value: "live", label: "Live" },
  { value: "test", label: "Test" },
] as const;

/** Live or test traffic. */
export function ModePill() {
  const { mode } = useScope();
  const { change } = useView();
  return (
    <div className="mode-pill">
      <Segmented label="Traffic" value={mode} options={modes} onChange={chosen => change({ mode: chosen })} />
    </div>
  );
}
