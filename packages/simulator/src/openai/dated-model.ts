/** OpenAI answers with the dated model name, which determines the price. */
const dated: Readonly<Record<string, string>> = {
  "gpt-3.5-turbo": "gpt-3.5-turbo-0125",
  "gpt-4": "gpt-4-0613",
  "gpt-4-turbo": "gpt-4-turbo-2024-04-09",
  "gpt-4o": "gpt-4o-2024-08-06",
  "gpt-4o-mini": "gpt-4o-mini-2024-07-18",
  "gpt-4.1": "gpt-4.1-2025-04-14",
  "gpt-4.1-mini": "gpt-4.1-mini-2025-04-14",
  "gpt-4.1-nano": "gpt-4.1-nano-2025-04-14",
  "gpt-5": "gpt-5-2025-08-07",
  "gpt-5-mini": "gpt-5-mini-2025-08-07",
  "gpt-5-nano": "gpt-5-nano-2025-08-07",
  "gpt-5.1": "gpt-5.1-2025-11-13",
  "gpt-5.2": "gpt-5.2-2025-12-11",
  o1: "o1-2024-12-17",
  o3: "o3-2025-04-16",
  "o3-mini": "o3-mini-2025-01-31",
  "o4-mini": "o4-mini-2025-04-16",
};

export function datedModel(model: string): string {
  return dated[model] ?? model;
}
