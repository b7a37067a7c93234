import { useScope } from "../data/scope.tsx";
import { useView } from "../data/view.tsx";

/** Live or test traffic. */
export function ModePill() {
  const { mode } = useScope();
  const { change } = useView();
  return (
    <fieldset className="mode-pill">
      <legend className="visually-hidden">Traffic</legend>
      {(["live", "test"] as const).map(choice => (
        <button
          key={choice}
          type="button"
          data-mode={choice}
          aria-pressed={mode === choice}
          onClick={() => change({ mode: choice === "test" ? "test" : undefined })}
        >
          {choice === "live" ? "Live" : "Test"}
        </button>
      ))}
    </fieldset>
  );
}
