/**
 * @fileoverview Says once, before the tests, which checks cannot run here.
 * @module tests/support/say-what-is-left-out
 */
import { hasWireSchemas } from "./wire-schemas.js";

export default function sayWhatIsLeftOut(): void {
  if (!hasWireSchemas) {
    process.stderr.write(
      "Left out: replies are not held against the MCP schemas (../shared/mcp-schema is not here).\n",
    );
  }
}
