import type { Prompt } from "./prompt.ts";
import { analyzeCosts } from "./prompts/analyze-costs.ts";
import { costLeakScan } from "./prompts/cost-leak-scan.ts";
import { findSavings } from "./prompts/find-savings.ts";

export const prompts: readonly Prompt[] = [analyzeCosts, findSavings, costLeakScan];
