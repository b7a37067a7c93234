import { useKeyNames } from "../data/use-key-names.ts";
import { Name } from "./name.tsx";

interface ActorProps {
  /** An e-mail address, `cli`, or `key` and its id. */
  readonly name: string;
  readonly maxLength?: number;
}

/** Author of a change; an API key by its name. */
export function Actor({ name, maxLength = 60 }: ActorProps) {
  const keyId = /^key (\S+)$/.exec(name)?.[1];
  const keyName = useKeyNames({ enabled: keyId !== undefined }).get(keyId ?? "");
  return <Name name={keyName === undefined ? name : `key “${keyName}”`} maxLength={maxLength} />;
}
