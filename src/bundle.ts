// What dist/index.js exports: one entry a step. dist/main.js, dist/post.js and dist/sweep.js call them.
export { main } from "./main.ts";
export { post } from "./post.ts";
export { sweep } from "./sweep.ts";
