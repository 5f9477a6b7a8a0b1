/**
 * @fileoverview Entry point `@tenon/agent/page`: the chat page of an agent server.
 * @module agent/page
 */
export { createAgentPage } from "./create-agent-page.js";
export { serveAgentPage, type AgentPageServer, type ServedAgentPage } from "./serve-agent-page.js";
