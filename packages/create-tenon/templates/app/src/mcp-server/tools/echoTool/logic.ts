/**
 * @fileoverview Schemas, types, and business logic for the `echo_message` tool.
 * The logic throws errors, and the handler formats them.
 * @module src/mcp-server/tools/echoTool/logic
 * @see {@link src/mcp-server/tools/echoTool/registration.ts} for the handler.
 */
import { z } from "zod";
import { BaseErrorCode, McpError } from "../../../types-global/errors.js";
import { logger, type RequestContext } from "../../../utils/index.js";

/** Supported message formats. */
export const ECHO_MODES = ["standard", "uppercase", "lowercase"] as const;

/** Input schema. The model reads the descriptions to decide how to call the tool. */
export const EchoToolInputSchema = z.object({
  message: z
    .string()
    .min(1, "Message cannot be empty.")
    .max(1000, "Message cannot exceed 1000 characters.")
    .describe(
      "The message to echo back. To trigger a test error, provide the exact message 'fail'.",
    ),
  mode: z
    .enum(ECHO_MODES)
    .optional()
    .default("standard")
    .describe("Specifies how the message should be formatted. Defaults to 'standard'."),
  repeat: z
    .number()
    .int()
    .min(1)
    .max(10)
    .optional()
    .default(1)
    .describe("The number of times to repeat the message. Defaults to 1."),
  includeTimestamp: z
    .boolean()
    .optional()
    .default(true)
    .describe("Whether to include an ISO 8601 timestamp in the response. Defaults to true."),
});

/** Output schema. Clients use it to validate results. */
export const EchoToolResponseSchema = z.object({
  originalMessage: z.string().describe("The original message provided in the input."),
  formattedMessage: z
    .string()
    .describe("The message after applying the specified formatting mode."),
  repeatedMessage: z
    .string()
    .describe("The formatted message repeated the specified number of times."),
  mode: z.enum(ECHO_MODES).describe("The formatting mode that was applied."),
  repeatCount: z.number().int().min(1).describe("The number of times the message was repeated."),
  timestamp: z.iso
    .datetime()
    .optional()
    .describe("Optional ISO 8601 timestamp of when the response was generated."),
});

/** Validated tool input. */
export type EchoToolInput = z.infer<typeof EchoToolInputSchema>;

/** Structured tool result. */
export type EchoToolResponse = z.infer<typeof EchoToolResponseSchema>;

/**
 * Formats and repeats a message.
 *
 * @param params - The validated input.
 * @param context - The request context, for logging.
 * @returns The original, the formatted, and the repeated message.
 * @throws {McpError} `VALIDATION_ERROR` if the message is `fail`.
 */
export async function echoToolLogic(
  params: EchoToolInput,
  context: RequestContext,
): Promise<EchoToolResponse> {
  logger.debug("Processing echo message logic.", { ...context, toolInput: params });

  if (params.message === "fail") {
    throw new McpError(
      BaseErrorCode.VALIDATION_ERROR,
      "Deliberate failure triggered: the message was 'fail'.",
      { toolName: "echo_message" },
    );
  }

  const formattedMessage = formatMessage(params.message, params.mode);
  const response: EchoToolResponse = {
    originalMessage: params.message,
    formattedMessage,
    repeatedMessage: Array<string>(params.repeat).fill(formattedMessage).join(" "),
    mode: params.mode,
    repeatCount: params.repeat,
    ...(params.includeTimestamp ? { timestamp: new Date().toISOString() } : {}),
  };

  logger.debug("Echo message processed successfully.", {
    ...context,
    responseSummary: {
      messageLength: response.repeatedMessage.length,
      timestampGenerated: response.timestamp !== undefined,
    },
  });
  return response;
}

function formatMessage(message: string, mode: EchoToolInput["mode"]): string {
  switch (mode) {
    case "uppercase":
      return message.toUpperCase();
    case "lowercase":
      return message.toLowerCase();
    case "standard":
      return message;
  }
}
