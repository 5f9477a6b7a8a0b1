/**
 * @fileoverview Prints which checks cannot run on this machine, once before the tests.
 * @module tests/support/report-skipped
 */
import { hasWireSchemas } from "./wire-schemas.js";

export default function reportSkipped(): void {
  if (!hasWireSchemas) {
    process.stderr.write(
      "Skipped: responses are not validated against the MCP schemas, because ../shared/mcp-schema does not exist.\n",
    );
  }
}
