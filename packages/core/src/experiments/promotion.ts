import type { Assessment } from "./assess.ts";

interface Promotion {
  readonly promotes: boolean;
  readonly message: string;
}

/** Whether the treatment becomes the agent's model when its experiment ends, with a message. */
export function promotionOf(
  { winner, error_guard, message }: Pick<Assessment, "winner" | "error_guard" | "message">,
  end: { readonly isByPerson: boolean; readonly isAsked: boolean; readonly treatmentModel: string },
): Promotion {
  const stays = (why: string) => ({ promotes: false, message: `${why}; the agent's model stays as it is` });
  if (!end.isAsked) return stays("No promotion was requested");
  if (winner === null) return stays(`There is no winner (${message})`);
  if (winner === "control") return stays("The control has won");
  // A person sees the errors and may decide otherwise; a program must not.
  if (!end.isByPerson && !error_guard.passes) return stays(error_guard.message);
  return { promotes: true, message: `The treatment has won: ${end.treatmentModel} is the agent's model now` };
}
