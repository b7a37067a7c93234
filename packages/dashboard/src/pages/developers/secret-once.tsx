import { Button } from "../../parts/button.tsx";
import { CodeBlock } from "../../parts/code-block.tsx";
import { DialogActions } from "../../parts/dialog.tsx";

interface SecretOnceProps {
  /** Kind of secret: "key", "secret". */
  readonly name: string;
  readonly secret: string;
  readonly onClose: () => void;
}

/** Only a digest is stored: after this dialog nobody can show the text again. */
export function SecretOnce({ name, secret, onClose }: SecretOnceProps) {
  return (
    <div data-secret={name}>
      <p className="developers-secret-note">
        Copy the {name} now and store it where your program reads it. It is shown only once.
      </p>
      <CodeBlock title={`the ${name}`} text={secret} />
      <DialogActions>
        <Button kind="primary" onClick={onClose}>
          I have stored it
        </Button>
      </DialogActions>
    </div>
  );
}
