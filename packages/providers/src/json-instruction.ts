/** For models that cannot be made to answer with JSON otherwise. */
export const JSON_INSTRUCTION =
  "Respond with a single valid JSON object, and with nothing before or after it.";
