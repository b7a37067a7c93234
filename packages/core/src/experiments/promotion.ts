import type { Assessment } from "./assess.ts";
import type { EndReason } from "./experiment.ts";

interface Promotion {
  readonly promotes: boolean;
  readonly message: string;
}

/** Whether the treatment becomes the agent's model when its experiment ends, with a message. */
export function promotionOf(
  { winner, error_guard, message }: Pick<Assessment, "winner" | "error_guard" | "message">,
  end: { readonly reason: EndReason; readonly isAsked: boolean; readonly treatmentModel: string },
): Promotion {
  const stays = (why: string) => ({ promotes: false, message: `${why}; the agent's model stays as it is` });
  if (!end.isAsked) return stays("No promotion was requested");
  if (winner === null) return stays(`There is no winner (${message})`);
  if (winner === "control") return stays("The control has won");
  // A person may decide otherwise, but automatic promotion must not.
  if (end.reason === "duration" && !error_guard.passes) return stays(error_guard.message);
  return { promotes: true, message: `The treatment has won: ${end.treatmentModel} is the agent's model now` };
}
