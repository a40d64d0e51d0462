import { main } from "./acts.ts"; import { explore } from "./explore.ts"; import { startOfTheWorld } from "./world.ts";
Error.stackTraceLimit = 0;
let tr: readonly string[] = []; let said=0;
const by: Record<string, number> = {};
const ex = {states: new Set<string>(), ends: 0, runs: 0};
setTimeout(() => {}, 1);
const t0 = Date.now();
await explore({...startOfTheWorld(), deaths: 0}, { start: (t) => main(t, {watch: (i) => {if (said++<8) console.log(i, tr.join(' / '))}, mutation: {}}), onState(w, trail) { tr = trail; const f = trail.find((x) => x.includes(": ") && !x.startsWith("instance")) ?? "none"; const k=`create ${w.asked.length}: `+ f.replace(/\d+/g,"N"); by[k] = (by[k] ?? 0) + 1; if (Date.now()-t0 > Number(process.env.T ?? 60000)) { console.log(Object.entries(by).sort((a,b)=>b[1]-a[1]).map(([k,v])=>v+" "+k).join("\n")); process.exit(0); } }, onEnd() {} }, ex);
console.log(ex.runs, ex.states.size, Object.entries(by).sort((a,b)=>b[1]-a[1]).map(([k,v])=>v+" "+k).join("\n"));
