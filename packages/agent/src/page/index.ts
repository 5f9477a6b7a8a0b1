/**
 * @fileoverview Entry point `@tenon/agent/page`: the chat page of an agent server.
 * @module agent/page
 */
export { createAgentPage } from "./create-agent-page.js";
export type { AgentPageOptions } from "./options.js";
export {
  serveAgentPage,
  type AgentPageServer,
  type ServeAgentPageOptions,
  type ServedAgentPage,
} from "./serve-agent-page.js";
