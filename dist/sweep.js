import { sweep } from "./index.js";
await sweep();
