/**
 * @fileoverview Runs the server for clients of the Tasks extension over stdio, in its own process.
 * @module tests/clients/support/tasks-fixture
 */
import { serve } from "tenon/node";
import { createTasksServer } from "../../../tools/official-clients/tasks-server.js";

await serve(createTasksServer());
