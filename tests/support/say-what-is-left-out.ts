/**
 * @fileoverview Prints once, before the tests, which checks cannot run here.
 * @module tests/support/say-what-is-left-out
 */
import { hasWireSchemas } from "./wire-schemas.js";

export default function sayWhatIsLeftOut(): void {
  if (!hasWireSchemas) {
    process.stderr.write(
      "Skipped: responses are not validated against the MCP schemas, because ../shared/mcp-schema does not exist.\n",
    );
  }
}
