import { describe, expect, test } from "vitest";
import { createHttpError, toErrorBranch } from "../src/index.js";
import { ERRORS, McpError } from "tenon/protocol";

describe("Z21: createHttpError", () => {
  test.each([
    [400, "INVALID_REQUEST", "Bad Request"],
    [401, "AUTHENTICATION_REQUIRED", "Unauthorized"],
    [403, "FORBIDDEN", "Forbidden"],
    [404, "NOT_FOUND", "Not Found"],
    [429, "RATE_LIMITED", "Too Many Requests"],
    [500, "SERVICE_ERROR", "Internal Server Error"],
    [501, "SERVICE_ERROR", "Not Implemented"],
    [502, "SERVICE_ERROR", "Bad Gateway"],
    [503, "SERVICE_ERROR", "Service Unavailable"],
    [504, "SERVICE_ERROR", "Gateway Timeout"],
    [599, "SERVICE_ERROR", "HTTP status 599"],
    // Statuses that the requirements do not list use the label of their class.
    [409, "INVALID_REQUEST", "Conflict"],
    [413, "INVALID_REQUEST", "Payload Too Large"],
    [422, "INVALID_REQUEST", "Unprocessable Entity"],
  ])("%i is %s", (status, label, message) => {
    const error = createHttpError(status);
    expect(error).toBeInstanceOf(McpError);
    expect(error).toMatchObject({ status, label, message, details: { status, code: label } });
    // The error's code is in the table row of that label.
    expect(ERRORS[error.code].label).toBe(label);
    expect(toErrorBranch(error)).toEqual({ type: "error", error: message, code: label });
  });

  test("uses the label as the code if it is in the table", () => {
    expect([400, 403, 404, 429].map((status) => createHttpError(status).code)).toEqual([
      "INVALID_REQUEST",
      "FORBIDDEN",
      "NOT_FOUND",
      "RATE_LIMITED",
    ]);
  });

  test("accepts a message, details, help, and a cause; details cannot override the status", () => {
    const cause = new Error("ECONNRESET");
    const error = createHttpError(502, "The station is silent", {
      help: "Try later",
      details: { station: "north", status: 200 },
      cause,
    });
    expect(error.message).toBe("The station is silent");
    expect(error.details).toEqual({ station: "north", status: 502, code: "SERVICE_ERROR" });
    expect([error.help, error.cause]).toEqual(["Try later", cause]);
    expect(createHttpError(404)).not.toHaveProperty("help");
  });

  test.each([200, 302, 399, 600, 404.5, Number.NaN, -1])("rejects the status %d", (status) => {
    expect(() => createHttpError(status)).toThrow(
      new RangeError(`\`status\` must be an integer from 400 to 599; got ${status}.`),
    );
  });
});
