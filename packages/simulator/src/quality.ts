import { jsonObjectOf } from "@tollgate/core/wire/json-fields";
import type { Prompt } from "./prompt.ts";

/**
 * The quality of simulated answers, so that a verification has something to find. A model whose name contains `nano`
 * gives a poor answer to 40 of 100 prompts, all others to none. `tollgate:poor=gpt-4o-mini:25` in a prompt sets the share
 * for that model. The same prompt and model always give the same quality.
 */
const POOR_OF_100 = 40;
const asked = /tollgate:poor=([\w.-]+):(\d{1,3})/g;

/** The start of poor answers, which the simulated judge looks for. */
export const POOR_OPENING = "I am not sure what you mean.";

export function isPoor({ model, lastUserText }: Pick<Prompt, "model" | "lastUserText">): boolean {
  const set = [...lastUserText.matchAll(asked)].find(([, name]) => name === model)?.[2];
  const of100 = set === undefined ? (model.includes("nano") ? POOR_OF_100 : 0) : Number(set);
  return of100 > 0 && Number(Bun.hash.xxHash32(`${model}\n${lastUserText}`)) % 100 < of100;
}

interface Judgement {
  readonly better: "X" | "tie" | "Y";
  readonly degree: "slight" | "clear";
}

/** null: not a verification's question to its judge. */
export function judge(schema: unknown, question: string): Judgement | null {
  const properties = jsonObjectOf(jsonObjectOf(schema)?.properties);
  if (properties?.better === undefined || properties.degree === undefined) return null;
  const mark = /^<request (\w{16,})>/.exec(question)?.[1];
  if (mark === undefined) return null;
  const isPoorAt = (place: "X" | "Y") => partOf(question, place, mark).startsWith(POOR_OPENING);
  if (isPoorAt("X") === isPoorAt("Y")) return { better: "tie", degree: "slight" };
  return { better: isPoorAt("X") ? "Y" : "X", degree: "clear" };
}

/** The text between the marks of one answer; marks that the request or the answers claim do not count. */
function partOf(question: string, place: "X" | "Y", mark: string): string {
  return (
    new RegExp(`<answer ${place} ${mark}>\\n(.*?)\\n</answer ${place} ${mark}>`, "s").exec(question)?.[1] ??
    ""
  );
}
