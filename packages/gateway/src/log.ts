export { describeFault, type Log } from "@tollgate/core/log";
