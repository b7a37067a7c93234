import { useState } from "react";
import { notify } from "../data/notices.ts";
import { IconButton } from "./button.tsx";

const CONFIRMED_MS = 1500;

/** Copies a text, and says so. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [isCopied, setIsCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setIsCopied(true);
      setTimeout(() => setIsCopied(false), CONFIRMED_MS);
    } catch {
      // Browsers offer the clipboard only on HTTPS and on this machine.
      notify({ kind: "problem", text: "Your browser blocked copying. Select the text instead." });
    }
  };
  return <IconButton icon={isCopied ? "check" : "copy"} label={isCopied ? "Copied" : label} onClick={copy} />;
}
