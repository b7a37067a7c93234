import { open, readdir } from "node:fs/promises";

/** A rename survives a power cut once its folder has been synced. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

export async function writeDurably(path: string, content: string | Uint8Array): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

export async function digestOf(path: string): Promise<string> {
  const hasher = new Bun.CryptoHasher("sha256");
  for await (const bytes of Bun.file(path).stream()) hasher.update(bytes);
  return hasher.digest("hex");
}

/** Names in a folder, sorted; none if it does not exist. `lost+found` belongs to the file system and is left out. */
export async function namesIn(path: string): Promise<string[]> {
  try {
    return (await readdir(path)).filter(name => name !== "lost+found").sort();
  } catch (fault) {
    if (fault instanceof Error && "code" in fault && fault.code === "ENOENT") return [];
    throw fault;
  }
}
