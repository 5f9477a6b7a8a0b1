/**
 * @fileoverview Registers the `get_temperature` tool. It follows the same steps as the echo tool, but
 * `defineToolHandler` creates the handler. Calls require a scope and are rate limited, because they
 * use an external service.
 * @module src/mcp-server/tools/temperatureTool/registration
 * @see {@link src/mcp-server/tools/temperatureTool/logic.ts} for schemas and business logic.
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
  type TemperatureToolInput,
  TemperatureToolInputSchema,
  temperatureToolLogic,
  TemperatureToolResponseSchema,
} from "./logic.js";

const TOOL_NAME = "get_temperature";
const TOOL_DESCRIPTION = "Gets the current air temperature at the given coordinates.";

/**
 * Registers the tool. The handler runs only when a client calls the tool.
 *
 * @param server - The server to register it on.
 * @returns A promise that resolves when the tool is registered.
 * @throws {McpError} `INITIALIZATION_FAILED`, after logging it at the critical level.
 */
export const registerTemperatureTool = async (server: McpServer): Promise<void> => {
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
          title: "Get Temperature",
          description: TOOL_DESCRIPTION,
          inputSchema: TemperatureToolInputSchema.shape,
          outputSchema: TemperatureToolResponseSchema.shape,
          annotations: { readOnlyHint: true, openWorldHint: true },
        },
        handleTemperatureCall,
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
const handleTemperatureCall = defineToolHandler({
  toolName: TOOL_NAME,
  logic: async (params: TemperatureToolInput, context) => {
    withRequiredScopes(["weather:read"]);
    rateLimiter.check(`${TOOL_NAME} ${currentCall()?.auth?.principal ?? "anonymous"}`, context);
    return temperatureToolLogic(params, context);
  },
});
