// What dist/index.js exports: one entry a step. dist/main.js and dist/post.js call them.
export { main } from "./main.ts";
export { post } from "./post.ts";
