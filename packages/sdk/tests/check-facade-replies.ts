/**
 * @fileoverview Imported by tests of `McpServer`: checks its replies against the schemas of the specification, as the
 * setup of all tests does with those of the core.
 * @module tests/sdk/check-facade-replies
 */
import { checkRepliesOf } from "../../../tests/support/check-every-reply.js";
import { FacadeServer } from "../src/mcp-server/facade-server.js";

checkRepliesOf(FacadeServer);
