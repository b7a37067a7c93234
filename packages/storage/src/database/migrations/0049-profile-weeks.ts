import { type ControlMigration, numbered, required } from "../control-migration.ts";

/**
 * Sums of seven days of the agent profile, because a long period has too many rows of days. The profile's follower
 * fills them (profile-weeks.ts).
 */
export const up: ControlMigration = async ({ integer, keyedTable, counts }) => {
  await keyedTable("profile_weeks")
    .addColumn("scope", integer, required)
    .addColumn("week", integer, required)
    .addColumn("agent", integer, required)
    .addColumn("model", integer, required)
    .$call(counts(["first_day", "last_day", "active_days"]))
    .$call(
      counts([
        "calls",
        "errors",
        "error_cost_microcents",
        "retry_calls",
        "retry_cost_microcents",
        "input_tokens",
        "uncached_input_tokens",
        "cache_read_tokens",
        "cache_write_tokens",
        "cache_write_1h_tokens",
        "output_tokens",
        "cost_microcents",
        "short_calls",
        "short_uncached_input_tokens",
        "short_cache_read_tokens",
        "short_cache_write_tokens",
        "short_cache_write_1h_tokens",
        "short_output_tokens",
        "short_cost_microcents",
        "repeat_calls",
        "repeat_input_tokens",
        "repeat_cost_microcents",
        "cacheable_calls",
        "cacheable_tokens",
        "cacheable_start_tokens",
        "cacheable_5m_calls",
        "cacheable_5m_tokens",
        "cacheable_5m_start_tokens",
        "oversized_calls",
        "oversized_tokens",
        "sessions",
        "session_first_tokens",
        "session_later_calls",
        "session_later_tokens",
        "grown_calls",
        "grown_tokens",
        "max_input_tokens",
        "max_output_tokens",
      ]),
    )
    .$call(counts(numbered("o", 19)))
    .addPrimaryKeyConstraint("profile_weeks_pkey", ["scope", "week", "agent", "model"])
    .execute();
};
