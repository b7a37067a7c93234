/**
 * Compiles a matching rule of the price data into a predicate over lower-case model names. Rules that state a part of a
 * name were written for the names known at the time: of what they match, only revisions are the same model.
 */
import type { MatchLogic } from "@pydantic/genai-prices";
import { isRevisionOf } from "./revision.ts";

export type ModelMatcher = (lowerCaseName: string) => boolean;

export function compileMatchRule(rule: MatchLogic): ModelMatcher {
  if ("or" in rule) {
    const any = rule.or.map(compileMatchRule);
    return name => any.some(matches => matches(name));
  }
  if ("and" in rule) {
    const all = rule.and.map(compileMatchRule);
    return name => all.every(matches => matches(name));
  }
  if ("equals" in rule) {
    const text = rule.equals.toLowerCase();
    return name => name === text;
  }
  if ("starts_with" in rule) {
    const text = rule.starts_with.toLowerCase();
    return name => isRevisionOf(name, text);
  }
  if ("ends_with" in rule) {
    const text = rule.ends_with.toLowerCase();
    return name => name.endsWith(text);
  }
  if ("contains" in rule) {
    const text = rule.contains.toLowerCase();
    return name => {
      const at = name.lastIndexOf(text);
      return at >= 0 && isRevisionOf(name.slice(at), text);
    };
  }
  const pattern = new RegExp(rule.regex);
  return name => {
    const found = pattern.exec(name);
    // A rule about the rest of a name (`(?!…)`) matches nothing of it.
    return found !== null && (found[0] === "" || isRevisionOf(name.slice(found.index), found[0]));
  };
}

/** Every literal text in a rule: the names it was written for, some with a release date. */
export function textsOfMatchRule(rule: MatchLogic): string[] {
  if ("or" in rule) return rule.or.flatMap(textsOfMatchRule);
  if ("and" in rule) return rule.and.flatMap(textsOfMatchRule);
  return Object.values(rule);
}
