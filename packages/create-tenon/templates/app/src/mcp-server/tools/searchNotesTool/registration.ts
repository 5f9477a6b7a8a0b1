/**
 * @fileoverview Registers the `search_notes` tool. It follows the same steps as the echo tool, but
 * `defineToolHandler` creates the handler. Calls require a scope.
 * @module src/mcp-server/tools/searchNotesTool/registration
 * @see {@link src/mcp-server/tools/searchNotesTool/logic.ts} for schemas and business logic.
 */
import { type McpServer } from "@tenon/sdk";
import { BaseErrorCode } from "../../../types-global/errors.js";
import {
  defineToolHandler,
  ErrorHandler,
  logger,
  requestContextService,
  withRequiredScopes,
} from "../../../utils/index.js";
import {
  type SearchNotesToolInput,
  SearchNotesToolInputSchema,
  searchNotesToolLogic,
  SearchNotesToolResponseSchema,
} from "./logic.js";

const TOOL_NAME = "search_notes";
const TOOL_DESCRIPTION = "Finds notes in the notebook that all clients of this server share.";

/**
 * Registers the tool. The handler runs only when a client calls the tool.
 *
 * @param server - The server to register it on.
 * @returns A promise that resolves when the tool is registered.
 * @throws {McpError} `INITIALIZATION_FAILED`, after logging it at the critical level.
 */
export const registerSearchNotesTool = async (server: McpServer): Promise<void> => {
  const registrationContext = requestContextService.createRequestContext({
    operation: "RegisterTool",
    toolName: TOOL_NAME,
  });
  logger.info(`Registering tool: '${TOOL_NAME}'`, registrationContext);

  await ErrorHandler.tryCatch(
    async () => {
      server.registerTool(
        TOOL_NAME,
        {
          title: "Search Notes",
          description: TOOL_DESCRIPTION,
          inputSchema: SearchNotesToolInputSchema.shape,
          outputSchema: SearchNotesToolResponseSchema.shape,
          annotations: { readOnlyHint: true, openWorldHint: false },
        },
        handleSearchNotesCall,
      );
      logger.info(`Tool '${TOOL_NAME}' registered successfully.`, registrationContext);
    },
    {
      operation: `RegisteringTool_${TOOL_NAME}`,
      context: registrationContext,
      errorCode: BaseErrorCode.INITIALIZATION_FAILED,
      critical: true,
    },
  );
};

/** Handles a call. `defineToolHandler` logs thrown errors and converts them to error results. */
const handleSearchNotesCall = defineToolHandler({
  toolName: TOOL_NAME,
  logic: async (params: SearchNotesToolInput, context) => {
    withRequiredScopes(["notes:read"]);
    return searchNotesToolLogic(params, context);
  },
});
