/** A fault whose message people may read. */
export class DemoFault extends Error {}
