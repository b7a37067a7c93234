import { expect, it } from "bun:test";
import { createCatalogue } from "./catalogue.ts";
import { promptTokens, textPrompt } from "./prompt-size.ts";

const catalogue = createCatalogue();
const tokens = (mediaTokens: number, audioTokens: number, model = "gpt-4o") =>
  promptTokens({ ...textPrompt(400), mediaTokens, audioTokens }, "openai", model, catalogue);

it("MON-018 counts text in full, and everything else up to the model's context window", () => {
  expect(tokens(0, 0)).toEqual({ input: 100, audio: 0 });
  expect(tokens(180_000, 0)).toEqual({ input: 100 + 128_000, audio: 0 });
  expect(tokens(180_000, 8000)).toEqual({ input: 100 + 120_000, audio: 8000 });
  expect(tokens(180_000, 0, "unheard-of")).toEqual({ input: 100 + 180_000, audio: 0 });
});
