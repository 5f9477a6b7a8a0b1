/**
 * @fileoverview Program with a server of the official SDK, version 1.
 * @module tests/cli/support/page/servers/sdk-v1-stdio
 */
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { createServer } from "./sdk-v1.js";

await createServer().connect(new StdioServerTransport());
