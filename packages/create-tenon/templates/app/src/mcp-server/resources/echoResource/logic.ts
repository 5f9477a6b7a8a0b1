/**
 * @fileoverview Schemas, types, and business logic for the `echo://{message}` resource.
 * @module src/mcp-server/resources/echoResource/logic
 * @see {@link src/mcp-server/resources/echoResource/registration.ts} for the handler.
 */
import { z } from "zod";
import { BaseErrorCode, McpError } from "../../../types-global/errors.js";
import { logger, type RequestContext } from "../../../utils/index.js";

/** Schema of the URI template's variables. */
export const EchoResourceParamsSchema = z.object({
  message: z.string().min(1).max(1000).describe("The message to echo, percent-encoded."),
});

/** Schema of the resource's contents. */
export const EchoResourceResponseSchema = z.object({
  message: z.string().describe("The message, decoded."),
  requestUri: z.string().describe("The URI that was read."),
});

/** The URI template's variables, still percent-encoded. */
export type EchoResourceParams = z.infer<typeof EchoResourceParamsSchema>;

/** The resource's contents. */
export type EchoResourceResponse = z.infer<typeof EchoResourceResponseSchema>;

/**
 * Creates the echo resource's contents.
 *
 * @param uri - The requested URI.
 * @param params - The URI's variables. They come from the client and are validated here.
 * @param context - The request context, for logging.
 * @returns The decoded message and the requested URI.
 * @throws {McpError} `VALIDATION_ERROR` unless the message is 1 to 1000 characters long.
 */
export async function echoResourceLogic(
  uri: URL,
  params: unknown,
  context: RequestContext,
): Promise<EchoResourceResponse> {
  const { data } = EchoResourceParamsSchema.safeParse(params);
  if (data === undefined) {
    throw new McpError(
      BaseErrorCode.VALIDATION_ERROR,
      "The message must be 1 to 1000 characters long, percent-encoded.",
      { resourceName: "echo" },
    );
  }
  const message = decodeURIComponent(data.message);
  logger.debug("Echo resource read.", { ...context, messageLength: message.length });
  return { message, requestUri: uri.href };
}
