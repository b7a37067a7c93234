/** Compiles a matching rule of the price data into a predicate over lower-case model names. */
import type { MatchLogic } from "@pydantic/genai-prices";

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
    return name => name.startsWith(text);
  }
  if ("ends_with" in rule) {
    const text = rule.ends_with.toLowerCase();
    return name => name.endsWith(text);
  }
  if ("contains" in rule) {
    const text = rule.contains.toLowerCase();
    return name => name.includes(text);
  }
  const pattern = new RegExp(rule.regex);
  return name => pattern.test(name);
}

/** Every literal text in a rule: the names it was written for, some with a release date. */
export function textsOfMatchRule(rule: MatchLogic): string[] {
  if ("or" in rule) return rule.or.flatMap(textsOfMatchRule);
  if ("and" in rule) return rule.and.flatMap(textsOfMatchRule);
  return Object.values(rule);
}
