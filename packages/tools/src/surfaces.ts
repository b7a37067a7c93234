import { hostedTools, sharedTools } from "./catalog.ts";
import type { Tool } from "./tool.ts";

type Surface = "stdio" | "hosted";

/** The tools of each entry point. */
export const surfaces: Readonly<Record<Surface, readonly Tool[]>> = {
  stdio: sharedTools,
  hosted: [...sharedTools, ...hostedTools],
};
