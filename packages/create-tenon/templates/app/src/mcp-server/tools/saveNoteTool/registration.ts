/**
 * @fileoverview Registers the `save_note` tool. It follows the same steps as the echo tool, but
 * `defineToolHandler` creates the handler. Calls require a scope and are rate limited, because
 * they write to the database.
 * @module src/mcp-server/tools/saveNoteTool/registration
 * @see {@link src/mcp-server/tools/saveNoteTool/logic.ts} for schemas and business logic.
 */
import { type McpServer } from "@tenon/sdk";
import { BaseErrorCode } from "../../../types-global/errors.js";
import {
  currentCall,
  defineToolHandler,
  ErrorHandler,
  logger,
  rateLimiter,
  requestContextService,
  withRequiredScopes,
} from "../../../utils/index.js";
import {
  type SaveNoteToolInput,
  SaveNoteToolInputSchema,
  saveNoteToolLogic,
  SaveNoteToolResponseSchema,
} from "./logic.js";

const TOOL_NAME = "save_note";
const TOOL_DESCRIPTION = "Saves a note in the notebook that all clients of this server share.";

/**
 * Registers the tool. The handler runs only when a client calls the tool.
 *
 * @param server - The server to register it on.
 * @returns A promise that resolves when the tool is registered.
 * @throws {McpError} `INITIALIZATION_FAILED`, after logging it at the critical level.
 */
export const registerSaveNoteTool = async (server: McpServer): Promise<void> => {
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
          title: "Save Note",
          description: TOOL_DESCRIPTION,
          inputSchema: SaveNoteToolInputSchema.shape,
          outputSchema: SaveNoteToolResponseSchema.shape,
          annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
        },
        handleSaveNoteCall,
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
const handleSaveNoteCall = defineToolHandler({
  toolName: TOOL_NAME,
  logic: async (params: SaveNoteToolInput, context) => {
    withRequiredScopes(["notes:write"]);
    rateLimiter.check(`${TOOL_NAME} ${currentCall()?.auth?.principal ?? "anonymous"}`, context);
    return saveNoteToolLogic(params, context);
  },
});
