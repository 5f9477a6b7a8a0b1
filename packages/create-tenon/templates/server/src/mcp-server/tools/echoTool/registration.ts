/**
 * @fileoverview Registers the `echo_message` tool and handles its calls: the one place where its errors are caught.
 * @module src/mcp-server/tools/echoTool/registration
 * @see {@link src/mcp-server/tools/echoTool/logic.ts} for the schemas and the business logic.
 */
import { BaseErrorCode, ErrorHandler, logger, requestContextService } from "@tenon/app";
import { type CallToolResult, type McpExtra, type McpServer } from "@tenon/sdk";
import {
  type EchoToolInput,
  EchoToolInputSchema,
  echoToolLogic,
  EchoToolResponseSchema,
} from "./logic.js";

const TOOL_NAME = "echo_message";
const TOOL_DESCRIPTION = "Echoes a message back with optional formatting and repetition.";

/**
 * Registers the tool. The handler does not run before a client calls it.
 *
 * @param server - The server to register it with.
 * @throws {McpError} `INITIALIZATION_FAILED`, after it was logged as critical.
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

/** Handles one call: the logic runs in a context of its own, and whatever it throws becomes a result. */
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
