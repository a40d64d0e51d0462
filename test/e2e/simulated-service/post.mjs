// The last word of the job: what still bills, and how many machines there were.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const { STATE_url: url = "", STATE_pid: pid = "", STATE_folder: folder = "", INPUT_RENTED = "" } = process.env;
const [least, most = least] = INPUT_RENTED.split("-").map(Number);
try {
  if (url === "") throw new Error("The simulated service never started.");
  const books = await (await fetch(`${url}/_control/books`)).json();
  const instances = await (await fetch(`${url}/_control/instances`)).json();
  const billing = books.billingNow.length;
  console.log(`still billing: ${billing} instances; rented: ${instances.length}`);
  if (billing > 0) throw new Error(`Still billing: ${JSON.stringify(books.billingNow)}`);
  if (!(instances.length >= least && instances.length <= most))
    throw new Error(`${instances.length} machines were rented; ${INPUT_RENTED} were to be expected.`);
} catch (error) {
  console.log(readFileSync(join(folder, "requests"), "utf8").split("\n").slice(-200).join("\n"));
  console.log(
    `::error title=Simulated service::${String(error.message).replaceAll("%", "%25").replaceAll("\n", "%0A")}`,
  );
  process.exitCode = 1;
} finally {
  // Zero would be this process's own group, and the platform's processes are in it.
  if (Number(pid) > 0) end(Number(pid));
}

/** Ends the simulator and its machines; it may have ended already. */
function end(leader) {
  try {
    process.kill(-leader, "SIGTERM");
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
  }
}
