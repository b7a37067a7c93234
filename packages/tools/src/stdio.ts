/** The packed program, `svc-mcp`. */
import { runStdio } from "./run-stdio.ts";

await runStdio(process.argv.slice(2));
