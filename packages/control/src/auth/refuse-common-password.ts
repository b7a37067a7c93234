import { fail } from "@tollgate/core/errors";
import { commonPasswords } from "./common-passwords.ts";

const PRODUCT = "tollgate";
const FEWEST_CHARACTERS = 4;
/** What fingers run along. */
const rows = [
  "abcdefghijklmnopqrstuvwxyz",
  "01234567890",
  "qwertyuiop",
  "asdfghjkl",
  "zxcvbnm",
  "1qaz2wsx3edc4rfv5tgb",
  "1q2w3e4r5t6y7u8i9o0p",
];
const runs = rows.flatMap(row => [row, [...row].toReversed().join("")]);

/** Passwords that are among the first to be tried: a lock-out after ten failures does not keep those out. */
export function refuseCommonPassword(password: string, email: string): void {
  const text = password.toLowerCase();
  const core = coreOf(text);
  const [mailbox = "", domain = ""] = email.toLowerCase().split("@");
  const owned = [email.toLowerCase(), mailbox, domain, domain.split(".")[0] ?? ""];
  if (owned.some(name => name !== "" && (text === name || (core !== "" && core === coreOf(name))))) {
    throw fail("invalid_request", "password: must be more than a part of your e-mail address");
  }
  if (core === PRODUCT) throw fail("invalid_request", "password: must be more than the product's name");
  if (commonPasswords.has(core) || commonPasswords.has(text) || isPattern(text)) {
    throw fail("invalid_request", "password: this password is too common; choose another");
  }
}

/** The word inside: without the digits and signs around it, and with digits and signs in it read as letters. */
function coreOf(text: string): string {
  const word = text.replace(/^[^a-z@$]+|[^a-z@$]+$/g, "");
  return [...word]
    .map(character => lookalikes[character] ?? character)
    .join("")
    .replace(/[^\p{L}]+$/u, "");
}

const lookalikes: Readonly<Record<string, string>> = {
  "0": "o",
  "1": "i",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "@": "a",
  $: "s",
};

/** `aaaaaaaa`, `12341234`, `abcdefgh`, `9876543210`, `abcd1234`. */
function isPattern(text: string): boolean {
  if (new Set(text).size < FEWEST_CHARACTERS) return true;
  if (/^(.{1,8})\1+$/u.test(text)) return true;
  const parts = text.match(/\d+|\D+/g) ?? [];
  return isRun(text) || (parts.length <= 2 && parts.every(isRun));
}

function isRun(text: string): boolean {
  return new Set(text).size === 1 || runs.some(run => run.includes(text));
}
