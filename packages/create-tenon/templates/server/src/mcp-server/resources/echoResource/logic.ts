/**
 * @fileoverview The schemas, types and business logic of the `echo://{message}` resources.
 * @module src/mcp-server/resources/echoResource/logic
 * @see {@link src/mcp-server/resources/echoResource/registration.ts} for the handler that catches.
 */
import { BaseErrorCode, logger, McpError, type RequestContext } from "@tenon/app";
import { z } from "zod";

/** The variables of the URI. */
export const EchoResourceParamsSchema = z.object({
  message: z.string().min(1).max(1000).describe("The message to echo, percent-encoded."),
});

/** What is read. */
export const EchoResourceResponseSchema = z.object({
  message: z.string().describe("The message, decoded."),
  requestUri: z.string().describe("The URI that was read."),
});

/** The variables of the URI, as they stand in it. */
export type EchoResourceParams = z.infer<typeof EchoResourceParamsSchema>;

/** The content of the resource. */
export type EchoResourceResponse = z.infer<typeof EchoResourceResponseSchema>;

/**
 * Makes the content of an echo resource.
 *
 * @param uri - The URI that is read.
 * @param params - The variables of the URI, which nobody has checked yet.
 * @param context - The request context, for the log.
 * @returns The message.
 * @throws {McpError} `VALIDATION_ERROR` where there is no message, or too long a one.
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
