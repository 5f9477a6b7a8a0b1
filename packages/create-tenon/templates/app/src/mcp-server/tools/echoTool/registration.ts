/**
 * @fileoverview Registers the `echo_message` tool and handles its calls, including errors.
 * @module src/mcp-server/tools/echoTool/registration
 * @see {@link src/mcp-server/tools/echoTool/logic.ts} for schemas and business logic.
 */
import { type CallToolResult, type McpExtra, type McpServer } from "@tenon/sdk";
import { BaseErrorCode } from "../../../types-global/errors.js";
import { ErrorHandler, logger, requestContextService } from "../../../utils/index.js";
import {
  type EchoToolInput,
  EchoToolInputSchema,
  echoToolLogic,
  EchoToolResponseSchema,
} from "./logic.js";

const TOOL_NAME = "echo_message";
const TOOL_DESCRIPTION = "Echoes a message back with optional formatting and repetition.";

/**
 * Registers the tool. The handler runs only when a client calls the tool.
 *
 * @param server - The server to register it on.
 * @returns A promise that resolves when the tool is registered.
 * @throws {McpError} `INITIALIZATION_FAILED`, after logging it at the critical level.
 */
export const registerEchoTool = async (server: McpServer): Promise<void> => {
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
          title: "Echo Message",
          description: TOOL_DESCRIPTION,
          inputSchema: EchoToolInputSchema.shape,
          outputSchema: EchoToolResponseSchema.shape,
          annotations: { readOnlyHint: true, openWorldHint: false },
        },
        handleEchoCall,
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

/** Handles a call: runs the logic in its own context and converts errors to error results. */
async function handleEchoCall(
  params: EchoToolInput,
  callContext: McpExtra,
): Promise<CallToolResult> {
  const handlerContext = requestContextService.createRequestContext({
    parentContext: callContext,
    operation: "HandleToolRequest",
    toolName: TOOL_NAME,
    input: params,
  });
  try {
    const result = await echoToolLogic(params, handlerContext);
    return {
      structuredContent: result,
      content: [{ type: "text", text: `Success: ${JSON.stringify(result, null, 2)}` }],
    };
  } catch (error) {
    const { code, message, details } = ErrorHandler.handleError(error, {
      operation: `tool:${TOOL_NAME}`,
      context: handlerContext,
      input: params,
    });
    return {
      isError: true,
      content: [{ type: "text", text: `Error: ${message}` }],
      structuredContent: { code, message, details },
    };
  }
}
