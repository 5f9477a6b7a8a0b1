/**
 * @fileoverview Schemas, types and business logic of the `echo://{message}` resource.
 * @module src/mcp-server/resources/echoResource/logic
 * @see {@link src/mcp-server/resources/echoResource/registration.ts} for the handler.
 */
import { BaseErrorCode, logger, McpError, type RequestContext } from "@tenon/app";
import { z } from "zod";

/** Variables of the URI template. */
export const EchoResourceParamsSchema = z.object({
  message: z.string().min(1).max(1000).describe("The message to echo, percent-encoded."),
});

/** Contents of the resource. */
export const EchoResourceResponseSchema = z.object({
  message: z.string().describe("The message, decoded."),
  requestUri: z.string().describe("The URI that was read."),
});

/** Variables of the URI template, still percent-encoded. */
export type EchoResourceParams = z.infer<typeof EchoResourceParamsSchema>;

/** Contents of the resource. */
export type EchoResourceResponse = z.infer<typeof EchoResourceResponseSchema>;

/**
 * Creates the contents of an echo resource.
 *
 * @param uri - The requested URI.
 * @param params - The variables of the URI. They come from the client and are validated here.
 * @param context - The request context, for logging.
 * @returns The decoded message.
 * @throws {McpError} `VALIDATION_ERROR` if the message is empty or too long.
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
      "The message must have 1 to 1000 characters, percent-encoded.",
      { resourceName: "echo" },
    );
  }
  const message = decodeURIComponent(data.message);
  logger.debug("Echo resource read.", { ...context, messageLength: message.length });
  return { message, requestUri: uri.href };
}
