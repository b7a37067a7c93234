/** The body of a response that must be a JSON object. */
export async function jsonBody(answer: Response): Promise<Record<string, unknown>> {
  const text = await answer.text();
  const value: unknown = JSON.parse(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Error(`not a JSON object: ${text}`);
  }
  return { ...value };
}
