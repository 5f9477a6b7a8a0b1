import { serve } from "tenon/node";
import server from "./server.js";

// Over HTTP if PORT is set, otherwise over stdio.
const { PORT } = process.env;
await serve(server, PORT ? { port: Number(PORT) } : {});
