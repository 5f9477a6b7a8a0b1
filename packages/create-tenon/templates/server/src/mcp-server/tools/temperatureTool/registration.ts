/**
 * @fileoverview Registers the `get_temperature` tool: the same steps as the echo tool's, with the handler made by
 * `defineToolHandler`. It asks others for data, so that its calls are limited and need a scope.
 * @module src/mcp-server/tools/temperatureTool/registration
 * @see {@link src/mcp-server/tools/temperatureTool/logic.ts} for the schemas and the business logic.
 */
import {
  BaseErrorCode,
  currentAuth,
  defineToolHandler,
  ErrorHandler,
  logger,
  rateLimiter,
  requestContextService,
  withRequiredScopes,
} from "@tenon/app";
import { type McpServer } from "@tenon/sdk";
import {
  type TemperatureToolInput,
  TemperatureToolInputSchema,
  temperatureToolLogic,
  TemperatureToolResponseSchema,
} from "./logic.js";

const TOOL_NAME = "get_temperature";
const TOOL_DESCRIPTION =
  "Gets the current air temperature at a place on earth, given by its coordinates.";

/**
 * Registers the tool.
 *
 * @param server - The server to register it with.
 * @throws {McpError} `INITIALIZATION_FAILED`, after it was logged as critical.
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

/** Handles one call. What the guards or the logic throw is caught, logged and told by `defineToolHandler`. */
const handleTemperatureCall = defineToolHandler({
  toolName: TOOL_NAME,
  logic: async (params: TemperatureToolInput, context) => {
    withRequiredScopes(["weather:read"]);
    rateLimiter.check(`${TOOL_NAME} ${currentAuth()?.principal ?? "anonymous"}`, context);
    return temperatureToolLogic(params, context);
  },
});
