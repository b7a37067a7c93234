/** What follows a metric's name, such as `{mode="live"}`, and the value. */
type Samples = Iterable<readonly [suffix: string, value: number]>;

/** Metrics in Prometheus' text format. */
export class PrometheusText {
  #text = "";

  add(
    type: "counter" | "gauge" | "histogram" | "summary",
    name: string,
    help: string,
    samples: Samples,
  ): this {
    this.#text += `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
    for (const [suffix, value] of samples) this.#text += `${name}${suffix} ${value}\n`;
    return this;
  }

  /** A gauge that is null has no sample: unknown is not zero. */
  addGauges(values: Readonly<Record<string, number | null>>): this {
    for (const [name, value] of Object.entries(values)) {
      this.#text += `# TYPE ${name} gauge\n`;
      if (value !== null) this.#text += `${name} ${value}\n`;
    }
    return this;
  }

  toString(): string {
    return this.#text;
  }
}
