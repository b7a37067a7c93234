import { CopyButton } from "./copy-button.tsx";

interface CodeBlockProps {
  /** Name of a file or a client. */
  readonly title: string;
  readonly text: string;
}

/** Text to be copied as it is. Long lines scroll. */
export function CodeBlock({ title, text }: CodeBlockProps) {
  return (
    <figure className="code-block">
      <figcaption>
        <span className="muted">{title}</span>
        <CopyButton text={text} label={`Copy ${title}`} />
      </figcaption>
      {/* It scrolls, so the keyboard must reach it. */}
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </figure>
  );
}
