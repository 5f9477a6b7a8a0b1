/**
 * @fileoverview Prints which checks cannot run on this machine, once before the tests.
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
