/** What `import path from "./page.css" with { type: "file" }` gives: the path, also inside the built binary. */

declare module "*.bundle" {
  const path: string;
  export default path;
}

declare module "./*.css" {
  const path: string;
  export default path;
}

declare module "./*.html" {
  const path: string;
  export default path;
}

declare module "./*.js" {
  const path: string;
  export default path;
}

declare module "./*.svg" {
  const path: string;
  export default path;
}

declare module "swagger-ui-dist/*" {
  const path: string;
  export default path;
}
