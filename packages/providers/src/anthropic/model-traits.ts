/**
 * What a Claude model accepts, derived from its name. A name without a version is treated as a recent model, because
 * all old ones have one. Where even recent models differ, such a name gets what every model accepts.
 */

export interface ModelCapabilities {
  /** `thinking: adaptive` with `output_config.effort`. */
  readonly adaptiveThinking: boolean;
  /** `thinking: enabled` with `budget_tokens`. */
  readonly budgetThinking: boolean;
  /** `thinking: disabled` is a 400 on models that always think. */
  readonly canDisableThinking: boolean;
  readonly xhighEffort: boolean;
  /** temperature, top_p, top_k. */
  readonly sampling: boolean;
  /** `output_config.format`, and `strict` on tools. */
  readonly structuredOutput: boolean;
  /** Role `system` in the middle of `messages`. */
  readonly systemTurns: boolean;
  /** `tool_choice` of type `any` or `tool`. */
  readonly forcedTools: boolean;
}

interface ModelName {
  readonly family: string;
  /** 4.6 is 406, so that 4.10 comes after 4.9. null: the name has none. */
  readonly version: number | null;
}

/** `claude-opus-4-20250514` is 4.0: a date is never a minor version. */
function parseName(model: string): ModelName {
  const versioned = /claude-(?:([a-z]+)-)?v?(\d+)(?:[-.](\d{1,2}))?(?!\d)(?:-([a-z]+))?/.exec(model);
  if (!versioned) return { family: /claude-([a-z]+)/.exec(model)?.[1] ?? "", version: null };
  const [, before, major, minor, after] = versioned;
  return { family: before ?? after ?? "", version: Number(major) * 100 + Number(minor ?? "0") };
}

export function modelCapabilities(model: string): ModelCapabilities {
  const { family, version } = parseName(model);
  const from = (minimum: number) => version === null || version >= minimum;
  const isLargest = family === "fable" || family === "mythos";
  const isLarge = family === "opus" || family === "sonnet";
  const alwaysThinks = isLargest || (isLarge && from(505));
  return {
    adaptiveThinking: from(406),
    budgetThinking: version !== null && version >= 307 && version < 406,
    canDisableThinking: !alwaysThinks,
    xhighEffort: from(407),
    sampling: !from(407),
    structuredOutput: from(401),
    systemTurns: version !== null && version >= 408,
    forcedTools: version !== null && !((isLargest && from(501)) || (isLarge && from(505))),
  };
}
