/**
 * @fileoverview Registers the `echo://{message}` resource and handles its reads, including errors.
 * @module src/mcp-server/resources/echoResource/registration
 * @see {@link src/mcp-server/resources/echoResource/logic.ts} for schemas and business logic.
 */
import { type McpExtra, type McpServer, ResourceTemplate, type Variables } from "@tenon/sdk";
import { BaseErrorCode } from "../../../types-global/errors.js";
import { ErrorHandler, logger, requestContextService } from "../../../utils/index.js";
import { echoResourceLogic } from "./logic.js";

const RESOURCE_NAME = "echo";
const MIME_TYPE = "application/json";

/**
 * Registers the resource. The handler runs only when a client reads the resource.
 *
 * @param server - The server to register it on.
 * @returns A promise that resolves when the resource is registered.
 * @throws {McpError} `INITIALIZATION_FAILED`, after logging it at the critical level.
 */
export const registerEchoResource = async (server: McpServer): Promise<void> => {
  const registrationContext = requestContextService.createRequestContext({
    operation: "RegisterResource",
    resourceName: RESOURCE_NAME,
  });
  logger.info(`Registering resource: '${RESOURCE_NAME}'`, registrationContext);

  await ErrorHandler.tryCatch(
    async () => {
      server.resource(
        RESOURCE_NAME,
        new ResourceTemplate("echo://{message}", { list: undefined }),
        {
          title: "Echo",
          description: "Returns the message in the URI as JSON. Useful for testing resource reads.",
          mimeType: MIME_TYPE,
        },
        handleEchoRead,
      );
      logger.info(`Resource '${RESOURCE_NAME}' registered successfully.`, registrationContext);
    },
    {
      operation: `RegisteringResource_${RESOURCE_NAME}`,
      context: registrationContext,
      errorCode: BaseErrorCode.INITIALIZATION_FAILED,
      critical: true,
    },
  );
};

/** Handles a read. Reads do not have error results, so a thrown error becomes a JSON-RPC error. */
async function handleEchoRead(uri: URL, params: Variables, callContext: McpExtra) {
  const handlerContext = requestContextService.createRequestContext({
    parentContext: callContext,
    operation: "HandleResourceRead",
    resourceUri: uri.href,
  });
  try {
    const result = await echoResourceLogic(uri, params, handlerContext);
    const blob = Buffer.from(JSON.stringify(result)).toString("base64");
    return { contents: [{ uri: uri.href, blob, mimeType: MIME_TYPE }] };
  } catch (error) {
    throw ErrorHandler.handleError(error, {
      operation: `resource:${RESOURCE_NAME}`,
      context: handlerContext,
      input: params,
    });
  }
}
