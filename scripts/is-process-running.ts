export function isProcessRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (fault) {
    // Another user's process is running, too.
    return fault instanceof Error && "code" in fault && fault.code === "EPERM";
  }
}
