/**
 * @fileoverview Program with a server of the official SDK, version 2.
 * @module tests/cli/support/page/servers/sdk-v2-stdio
 */
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { createServer } from "./sdk-v2.js";

serveStdio(createServer);
